// `hydrant dev` with other times: node hurried-dev.js dev <folder> <times as JSON>

import { runDev } from '../../scripts/commands/dev.ts'

const [, dir = '', times = ''] = process.argv.slice(2)
process.env.NODE_ENV = 'development'
await runDev({ dir, flags: { host: '127.0.0.1', port: '0' }, note: null, terminal: process }, JSON.parse(times))
