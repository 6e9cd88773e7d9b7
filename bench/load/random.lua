-- Sends requests from a file, one a line, in random order. Arguments after `--`: method, file, seed.
-- A line is a target for GET and a body for POST to /graphql.

local lines = {}

function init(args)
  local method, file, seed = args[1], args[2], tonumber(args[3])
  math.randomseed(seed)
  for line in io.lines(file) do
    if method == "POST" then
      lines[#lines + 1] = wrk.format("POST", "/graphql", { ["content-type"] = "application/json" }, line)
    else
      lines[#lines + 1] = wrk.format("GET", line)
    end
  end
end

function request()
  return lines[math.random(#lines)]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d,"badStatus":%d,"socketErrors":%d,"timeouts":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write, errors.timeout))
end
