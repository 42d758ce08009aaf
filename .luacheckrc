-- The Lua of the budget runs in Redis as one script (packages/budget/src/redis/budgetScript.ts), so its files share names.
-- scripts/checkLua.ts checks the files with this, and the whole script without it.
std = 'lua51'
max_line_length = 150
read_globals = {
  'redis', 'cjson', 'KEYS', 'ARGV',
  'now', 'rules', 'broken', 'createBudgetState', 'STATE_VERSION', 'LONGEST_WAIT_MS', 'steadyTimes', 'fewestSlots', 'SECOND_MS', 'keep', 'find',
  'fairOrder', 'isPresent', 'admit', 'startOf', 'isBeingMade', 'shareCall', 'unshareCall', 'tellShared', 'isSameCall', 'replyOf', 'countGrant', 'enqueue', 'forgetUsers',
  'currentLimit', 'openAt', 'createForecast', 'countLimited', 'recover', 'noticeApart',
}
globals = { 'op', 'added', 'covered', 'ranked', 'state', 'notices', 'shared', 'granted', 'refused' }
-- A name that only other files use.
ignore = { '211' }
