// The first code of a page in development: React finds the hook of Fast Refresh only if it exists before React does.

import * as refresh from '#react-refresh'
import { createDevRuntime, type DevRuntime } from './runtime.ts'
import { listenForUpdates } from './updates.ts'
import { watchConsole, watchHead } from './watch-console.ts'

refresh.injectIntoGlobalHook(self)
const runtime: DevRuntime = createDevRuntime(refresh, (app, modules, since) => {
  listenForUpdates({ app, modules, since, refreshComponents: refresh.performReactRefresh })
  watchHead(tell)
})
Object.assign(self, { __hydrant_dev__: runtime })
// Before the page is hydrated. Versions of React before 19.1 do not have the function.
const tell = watchConsole(
  () => (runtime.provided('react') as { captureOwnerStack?(): string | null }).captureOwnerStack?.() ?? '',
)
