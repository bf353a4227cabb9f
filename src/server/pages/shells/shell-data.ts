// The data of a stored shell: the half that writes it, and the half that reads it for the rest of the document.

import { createDeferredPromises, type Flat, revive, type Settlement } from '../../../shared/wire/deferred-data.ts'
import type { PageExtras } from '../../../shared/wire/page-extras.ts'
import { type ShellRest, VISITOR_ID } from '../../cache/shell-rest.ts'
import type { RequestContext } from '../../context/request-context.ts'
import { countFrom, createDataWriter } from '../../render/deferred-data.ts'
import { startDeadline } from '../../util/deadline.ts'
import type { PreparedRoute } from '../prepared-route.ts'

export type ShellData = Pick<ShellRest, 'data' | 'settlements' | 'nextId'>

/**
 * Writes the data of a shell. Waits for all promises in it but the promise of the visitor's data. Rejects with
 * HYD_DATA_UNSERIALISABLE.
 *
 * @param values The data of the layouts, outermost first, then of the page.
 * @returns A reason, as the end of a sentence, if the shell must not be stored.
 */
export async function writeShellData(
  { plan, page }: PreparedRoute,
  values: readonly unknown[],
  extras: PageExtras,
  ctx: RequestContext,
): Promise<ShellData | { reason: string }> {
  const count = countFrom(VISITOR_ID)
  let nextId = VISITOR_ID
  const writer = createDataWriter(page.serverFile, ctx, () => {
    nextId++
    return count()
  })
  // The extras are written first, so that the promise of the visitor's data has the number `VISITOR_ID`.
  const written = writer.write(extras, page.serverFile)
  const data = values.map((value, level) => writer.write(value, plan.dataFiles[level] ?? ''))
  const settlements: string[] = []
  const isSettled = await new Promise<boolean>((resolve) => {
    const clear = startDeadline(ctx.site.options.timeouts.renderMs, () => resolve(false))
    const check = () => {
      if (writer.pendingCount() > 1) return
      clear()
      resolve(true)
    }
    writer.subscribe((settlement) => {
      settlements.push(settlement)
      check()
    })
    check()
  })
  if (!isSettled) return { reason: 'promises in its data are pending' }
  if (!settlements.every(isFulfilled)) return { reason: 'a promise in its data rejects' }
  return { data: [...data, written], settlements, nextId }
}

function isFulfilled(settlement: string): boolean {
  const [, kind] = JSON.parse(settlement) as Settlement
  return kind === 'value'
}

/** Reads the data of a shell. Each call creates new objects. */
export async function readShellData({ data, settlements }: ShellData): Promise<{
  values: unknown[]
  /** The output of the schemas `params` and `search`; null without one. */
  addressExtras: Pick<PageExtras, 'params' | 'search'> | null
}> {
  const deferred = createDeferredPromises()
  const values = await Promise.all(data.map((text) => revive(JSON.parse(text) as Flat, deferred.promised)))
  await Promise.all(settlements.map((text) => deferred.settle(JSON.parse(text) as Settlement)))
  // `writeShellData` has written the extras last.
  const { params, search } = values.pop() as PageExtras
  if (params === undefined && search === undefined) return { values, addressExtras: null }
  const addressExtras = { ...(params !== undefined && { params }), ...(search !== undefined && { search }) }
  return { values, addressExtras }
}

/** Returns the function that numbers the promises of the rest, beginning with that of the visitor's data. */
export function numbersOf({ nextId }: ShellData): () => number {
  const count = countFrom(nextId)
  let isFirst = true
  return () => {
    if (!isFirst) return count()
    isFirst = false
    return VISITOR_ID
  }
}
