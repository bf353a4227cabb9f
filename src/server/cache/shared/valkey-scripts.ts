// The scripts of the page cache in Valkey and Redis. The server runs each of them as a whole.
//
// - KEYS[1], a hash: the epoch, the sequence of the last invalidation, the floor (nothing is known about invalidations
//   up to it), and the bytes of all responses.
// - KEYS[2], a sorted set: the tags by the sequence of their last invalidation, and `=EPOCH`, which shows that none is
//   lost.
// - KEYS[3], a sorted set: the keys of responses by the time of storing.
// - KEYS[4], a hash: the bytes of each response.
// - KEYS[5], a hash: a response.
// - KEYS[6], a string: the owner of the lease on it.
//
// The server may evict each of them at any time. Without the first two, a new epoch begins: all responses are
// invalid.

const STATE = `
local function readState()
  local s = redis.call('HMGET', KEYS[1], 'epoch', 'sequence', 'floor')
  if s[1] and s[2] and s[3] and redis.call('ZSCORE', KEYS[2], '=' .. s[1]) then
    return { epoch = s[1], sequence = tonumber(s[2]), floor = tonumber(s[3]) }
  end
end
local function beginEpoch(epoch)
  redis.call('DEL', KEYS[2])
  redis.call('ZADD', KEYS[2], '+inf', '=' .. epoch)
  local sequence = redis.call('HINCRBY', KEYS[1], 'sequence', 1)
  redis.call('HSET', KEYS[1], 'epoch', epoch)
  redis.call('HSET', KEYS[1], 'floor', 0)
  return { epoch = epoch, sequence = sequence, floor = 0 }
end
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
-- The tags are written as LENGTH:TAG LENGTH:TAG …, without the spaces.
local function isCurrent(s, epoch, since, tags)
  if epoch ~= s.epoch or since < s.floor then return false end
  local start = 1
  while start <= #tags do
    local colon = string.find(tags, ':', start, true)
    local last = colon + tonumber(string.sub(tags, start, colon - 1))
    local score = redis.call('ZSCORE', KEYS[2], string.sub(tags, colon + 1, last))
    if score and tonumber(score) > since then return false end
    start = last + 1
  end
  return true
end
`

/** Returns the lease in ms and, if valid, the response's age and text. The age is negative after a clock change. */
export const READ = `${STATE}
local left = math.max(0, redis.call('PTTL', KEYS[6]))
local s = readState()
local e = redis.call('HMGET', KEYS[5], 'epoch', 'since', 'tags', 'at', 'response')
if not s or not e[1] or not isCurrent(s, e[1], tonumber(e[2]), e[3]) then return { left } end
return { left, now() - tonumber(e[4]), e[5] }`

/** Arguments: channel, key, owner, epoch, since, tags, response, bytes, age, life, max bytes, response prefix. */
export const WRITE = `${STATE}
local key, epoch, since, tags, bytes = ARGV[2], ARGV[4], tonumber(ARGV[5]), ARGV[6], tonumber(ARGV[8])
local function forget(other)
  redis.call('HINCRBY', KEYS[1], 'bytes', 0 - (redis.call('HGET', KEYS[4], other) or 0))
  redis.call('HDEL', KEYS[4], other)
  redis.call('ZREM', KEYS[3], other)
  redis.call('DEL', ARGV[12] .. other)
end
if redis.call('GET', KEYS[6]) == ARGV[3] then redis.call('DEL', KEYS[6]) end
local s = readState()
local e = redis.call('HMGET', KEYS[5], 'epoch', 'since')
local isNewest = e[1] ~= epoch or tonumber(e[2]) <= since
if s and isNewest and isCurrent(s, epoch, since, tags) then
  forget(key)
  local most, life = tonumber(ARGV[11]), tonumber(ARGV[10])
  if bytes <= most and life > 0 then
    local at = now()
    redis.call('HSET', KEYS[5], 'epoch', epoch, 'since', since, 'tags', tags, 'at', at - ARGV[9], 'response', ARGV[7])
    redis.call('PEXPIRE', KEYS[5], life)
    redis.call('ZADD', KEYS[3], at, key)
    redis.call('HSET', KEYS[4], key, bytes)
    local total = redis.call('HINCRBY', KEYS[1], 'bytes', bytes)
    while total > most do
      local oldest = redis.call('ZRANGE', KEYS[3], 0, 0)
      if not oldest[1] then
        redis.call('HSET', KEYS[1], 'bytes', 0)
        break
      end
      forget(oldest[1])
      total = tonumber(redis.call('HGET', KEYS[1], 'bytes'))
    end
  end
end
redis.call('PUBLISH', ARGV[1], key)`

/** Arguments: owner, milliseconds. */
export const LEASE = `
local owner = redis.call('GET', KEYS[6])
if owner and owner ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[6], ARGV[1], 'PX', ARGV[2])
return 1`

/** Arguments: channel, key, owner. */
export const RELEASE = `
if redis.call('GET', KEYS[6]) ~= ARGV[3] then return end
redis.call('DEL', KEYS[6])
redis.call('PUBLISH', ARGV[1], ARGV[2])`

/** Arguments: channel, an epoch if there is none, maximum of tags, tags. Returns the epoch and the sequence. */
export const ADVANCE = `${STATE}
local s = readState() or beginEpoch(ARGV[2])
local sequence = redis.call('HINCRBY', KEYS[1], 'sequence', 1)
for i = 4, #ARGV do redis.call('ZADD', KEYS[2], sequence, ARGV[i]) end
local excess = redis.call('ZCARD', KEYS[2]) - 1 - tonumber(ARGV[3])
if excess > 0 then
  local oldest = redis.call('ZRANGE', KEYS[2], excess - 1, excess - 1, 'WITHSCORES')
  redis.call('ZREMRANGEBYRANK', KEYS[2], 0, excess - 1)
  redis.call('HSET', KEYS[1], 'floor', oldest[2])
end
redis.call('PUBLISH', ARGV[1], '')
return { s.epoch, sequence }`

/** Writes nothing new, but is refused as any other write. */
export const PROBE = `redis.call('HINCRBY', KEYS[1], 'bytes', 0)`

/** Arguments: channel, the new epoch, prefix of responses. Returns the epoch and the sequence. */
export const CLEAR = `${STATE}
local s = beginEpoch(ARGV[2])
for _, key in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do redis.call('DEL', ARGV[3] .. key) end
redis.call('DEL', KEYS[3], KEYS[4])
redis.call('HSET', KEYS[1], 'bytes', 0)
redis.call('PUBLISH', ARGV[1], '')
return { s.epoch, s.sequence }`

/** Arguments: an epoch if there is none, epoch, sequence. Returns epoch, sequence and, if known, tags and sequences. */
export const CHANGES = `${STATE}
local s = readState() or beginEpoch(ARGV[1])
if s.epoch ~= ARGV[2] or tonumber(ARGV[3]) < s.floor then return { s.epoch, s.sequence } end
return { s.epoch, s.sequence, redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[3], s.sequence, 'WITHSCORES') }`
