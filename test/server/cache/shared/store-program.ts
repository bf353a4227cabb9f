// A process with a shared store: node store-program.js URL FILE. The file is that of a socket for calls.

import { openSharedStore } from '../../../../src/server/cache/shared/open-shared-store.ts'
import { serveStore } from './drive-store.ts'

const [url = '', file = ''] = process.argv.slice(2)
const log = { info: console.log, warn: console.log, error: console.log }
// Calls never time out, because the machine may be slow.
const store = await openSharedStore({ maxBytes: 1_000_000, store: url }, { log, deadline: () => () => {} })
if (store === null) throw new Error('no store')
await serveStore(store, file)
console.log('ready')
process.stdin.resume()
process.stdin.on('end', () => store.close())
