-- People who open pages at hosts. Arguments: the host, with %d for a number, and how many numbers there are.

local host, count, number = nil, 0, 0

function init(arguments)
  host, count = arguments[1], tonumber(arguments[2])
end

function request()
  number = (number + 7919) % count
  return wrk.format("GET", "/join?code=123456", { Host = host:format(number) })
end

function delay()
  return 20
end
