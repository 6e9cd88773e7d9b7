-- What visitors of a shop ask for. Arguments after `--`: products, categories, exponent, seed, and how many
-- products are asked for once before the mix, the most popular last.
-- Of the products, the one of rank r is asked for as often as 1 / r ^ exponent says (Zipf); so are lists.

local ORDERS = { "DEFAULT", "NEWEST", "PRICE_ASC" }
local SLUG_QUERY = "query%20P($slug:String!)%7BproductBySlug(slug:$slug)%7Bid%20name%20subtitle%20description%20brand%20tags%20imageUrl%20imageUrls%20stock"
  .. "%20price%7Bamount%20currencyCode%7D%20category%7Bid%20name%7D%7D%7D"

-- Rejection-inversion, exact for any exponent: W. Hörmann, G. Derflinger, ACM TOMACS 6 (1996), 169-184.
local function zipf(count, exponent)
  local power = 1 - exponent
  if power == 0 then power = 1e-9 end
  local function integral(x) return (x ^ power - 1) / power end
  local function inverse(y) return (1 + y * power) ^ (1 / power) end
  local first, last = integral(1.5) - 1, integral(count + 0.5)
  local near = 2 - inverse(integral(2.5) - 2 ^ -exponent)
  return function()
    while true do
      local y = last + math.random() * (first - last)
      local x = inverse(y)
      local rank = math.max(1, math.min(count, math.floor(x + 0.5)))
      if rank - x <= near or y >= integral(rank + 0.5) - rank ^ -exponent then return rank end
    end
  end
end

local products, nextProduct, nextList, inTurn

function init(args)
  products, inTurn = tonumber(args[1]), tonumber(args[5])
  nextProduct = zipf(products, tonumber(args[3]))
  nextList = zipf(tonumber(args[2]) * #ORDERS, tonumber(args[3]))
  math.randomseed(tonumber(args[4]))
end

-- A prime spreads the ranks over the ids. Half of the products are known by their id, half by their slug.
local function product(rank)
  local id = 1 + rank * 1299709 % products
  if rank % 2 == 0 then return wrk.format("GET", "/api/product/" .. id) end
  return wrk.format("GET", "/graphql?query=" .. SLUG_QUERY .. "&variables=%7B%22slug%22:%22product-" .. id .. "%22%7D")
end

local function list(rank)
  local category, order = 1 + math.floor(rank / #ORDERS), ORDERS[1 + rank % #ORDERS]
  return wrk.format("GET", "/api/product/list?categoryIds=" .. category .. "&orderBy=" .. order)
end

function request()
  if inTurn > 0 then
    inTurn = inTurn - 1
    return product(inTurn + 1)
  end
  local kind = math.random(100)
  if kind <= 75 then return product(nextProduct()) end
  if kind <= 95 then return list(nextList() - 1) end
  return wrk.format("GET", kind <= 98 and "/api/product/hot" or "/api/product/new")
end

function done(summary)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"durationUs":%d,"p50Us":0,"p99Us":0,"badStatus":%d,"socketErrors":%d,"timeouts":%d}\n',
    summary.requests, summary.duration, errors.status, errors.connect + errors.read + errors.write, errors.timeout))
end
