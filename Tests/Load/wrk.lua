-- Walks through a file of requests, one a line: method, path, token and body, separated by tabs.
-- Arguments: the file, and "once" (end after the last one) or how many milliseconds a connection rests between two.

local walk, size, position, answered = {}, 0, 0, 0

function init(args)
  for line in io.lines(args[1]) do
    local method, path, token, body = line:match("^([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)$")
    local headers = { ["Authorization"] = "Bearer " .. token }
    if body ~= "" then headers["Content-Type"] = "application/json" end
    size = size + 1
    walk[size] = wrk.format(method, path, headers, body ~= "" and body or nil)
  end
  if args[2] == "once" then
    response = function(status)
      answered = answered + 1
      if status ~= 200 then
        io.stderr:write("status ", status, "\n")
        os.exit(1)
      end
      if answered == size then os.exit(0) end
    end
  elseif tonumber(args[2]) > 0 then
    -- Uneven, for connections would fall into step otherwise.
    delay = function() return math.random(0, 2 * tonumber(args[2])) end
  end
end

function request()
  position = position % size + 1
  return walk[position]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests": %d, "microseconds": %d, "failed": %d, "refused": %d, "p99": %d}\n',
    summary.requests, summary.duration, errors.connect + errors.read + errors.write + errors.timeout, errors.status,
    latency:percentile(99)
  ))
end
