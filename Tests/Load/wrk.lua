-- Sends the requests of a file, one per line: method, path, token and body, separated by tabs, and in a mix the kind.
-- Arguments: the file, and "once" (stop after the last request), or the milliseconds that a connection rests between two
-- requests, or "log" and a file, to which each answer adds a line with the kind and, in microseconds, its begin and end.

local walk, kinds, size, position = {}, {}, 0, 0

local function keep_log(path)
  local ffi = require("ffi")
  ffi.cdef("typedef struct { long seconds, nanoseconds; } instant; int clock_gettime(int clock, instant *now);")
  local monotonic, instant = 1, ffi.new("instant")
  local function now()
    ffi.C.clock_gettime(monotonic, instant)
    return tonumber(instant.seconds) * 1e6 + tonumber(instant.nanoseconds) / 1e3
  end
  local log, began = assert(io.open(path, "w")), {}

  function request()
    position = position % size + 1
    began[position] = now()
    return walk[position]
  end

  -- wrk does not tell which request an answer belongs to; the server returns the request's id.
  function response(_, headers)
    local line = tonumber(headers["X-Request-Id"])
    log:write(string.format("%s %d %d\n", kinds[line], began[line], now()))
  end
end

local function end_after_last()
  local begun, answered = 0, 0

  -- A connection that is free when all requests are sent waits until the end; otherwise it would start over.
  function delay()
    begun = begun + 1
    return begun > size and 3600000 or 0
  end

  function response(status, headers, body)
    answered = answered + 1
    if status > 299 then
      io.stderr:write("status ", status, ": ", body, "\n")
      os.exit(1)
    end
    if answered == size then os.exit(0) end
  end
end

function init(args)
  for line in io.lines(args[1]) do
    local method, path, token, body, kind = line:match("^([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t?(.*)$")
    local headers = { ["Authorization"] = "Bearer " .. token }
    if token:find("^kith=") then headers = { ["Cookie"] = token, ["Accept-Encoding"] = "gzip" } end
    if body ~= "" then headers["Content-Type"] = "application/json" end
    size = size + 1
    if kind ~= "" then headers["X-Request-Id"] = size end
    walk[size], kinds[size] = wrk.format(method, path, headers, body ~= "" and body or nil), kind
  end
  if args[2] == "once" then
    end_after_last()
  elseif args[2] == "log" then
    keep_log(args[3])
  elseif tonumber(args[2]) > 0 then
    -- Random, because connections would otherwise synchronise.
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
