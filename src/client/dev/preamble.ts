// The first code of a page in development: React finds the hook of Fast Refresh only if it exists before React does.

import * as refresh from '#react-refresh'
import { reportMismatches } from './attribute-mismatches.ts'
import { createDevRuntime, type DevRuntime } from './runtime.ts'
import { listenForUpdates } from './updates.ts'

refresh.injectIntoGlobalHook(self)
// Before the page is hydrated.
reportMismatches()
const runtime: DevRuntime = createDevRuntime(refresh, (app, modules, since) =>
  listenForUpdates({ app, modules, since, refreshComponents: refresh.performReactRefresh }),
)
Object.assign(self, { __hydrant_dev__: runtime })
