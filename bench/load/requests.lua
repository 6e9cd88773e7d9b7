-- Sends the requests of a file in random order. A line: method, target, `Accept`, body, with tabs between them.

local lines = {}

function init(args)
  for line in io.lines(args[1]) do
    local method, target, accept, body = line:match("([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)")
    local headers = {}
    if accept ~= "" then headers["accept"] = accept end
    if body ~= "" then headers["content-type"] = "application/json" else body = nil end
    lines[#lines + 1] = wrk.format(method, target, headers, body)
  end
end

function request()
  return lines[math.random(#lines)]
end

function done(summary)
  io.write(string.format('{"requests":%d}\n', summary.requests))
end
