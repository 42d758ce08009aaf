import { describeKills } from './describeKills.js'

describeKills({ kills: 500, browserEach: 10, longestMs: 8_000 })
