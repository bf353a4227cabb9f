// A process whose event loop is blocked outside of V8. The watchdog has short times.

import { execSync } from 'node:child_process'
import { startWatchdog } from '../../../src/server/lifecycle/watchdog.ts'

await startWatchdog(200, console, () => {}, false, 200)
execSync('exec sleep 30')
