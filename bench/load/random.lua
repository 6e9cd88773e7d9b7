-- Sends requests from a file, one a line, in random order. Arguments after `--`: method, file, seed, and "anew" where each request is made as it is
-- sent, which takes a slower client.
-- A line is a target for GET and a body for POST to /graphql. In a body, `<1-20>` stands for a random number from 1 to 20.

local lines = {}
local templates = {}
local anew

local headers = { ["content-type"] = "application/json" }

local function number(from, to)
  return math.random(tonumber(from), tonumber(to))
end

function init(args)
  local method, file, seed = args[1], args[2], tonumber(args[3])
  anew = args[4] == "anew" and method
  math.randomseed(seed)
  for line in io.lines(file) do
    if line:find("<%d+-%d+>") then
      templates[#templates + 1] = line
    elseif anew then
      lines[#lines + 1] = line
    elseif method == "POST" then
      lines[#lines + 1] = wrk.format("POST", "/graphql", headers, line)
    else
      lines[#lines + 1] = wrk.format("GET", line)
    end
  end
end

function request()
  if #templates > 0 then
    local body = templates[math.random(#templates)]:gsub("<(%d+)-(%d+)>", number)
    return wrk.format("POST", "/graphql", headers, body)
  end
  local line = lines[math.random(#lines)]
  if anew == "POST" then return wrk.format("POST", "/graphql", headers, line) end
  return anew and wrk.format("GET", line) or line
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"durationUs":%d,"p50Us":%d,"p95Us":%d,"p99Us":%d,"badStatus":%d,"socketErrors":%d,"timeouts":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(95), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write, errors.timeout))
end
