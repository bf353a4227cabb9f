import type { ActionContext } from 'hydrant'
import { failNow } from '../content/failing-page.server.ts'
import sources from '../content/failing-page.sources'
import { ratios } from '../content/frameworks.server.ts'

export function load() {
  return { ratios, sources }
}

export function action(ctx: ActionContext<'/'>) {
  return failNow(ctx)
}
