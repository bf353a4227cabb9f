import { type LoadContext, notFound } from 'hydrant'
import { rejectLater } from '../../../content/later.ts'
import { type ThrownKind, thrownKinds } from '../../../content/positions.ts'
import { makeThrown } from '../../../content/thrown.ts'

export async function load({ params, url }: LoadContext<'/failures/f13/[kind]'>) {
  const kind = thrownKinds.find((name) => name === params.kind)
  if (!kind) notFound()
  const position = url.searchParams.get('at') ?? 'load'
  if (position === 'load') throw makeThrown(kind)
  return { kind, position, late: position === 'deferred' ? deferred(kind) : null }
}

function deferred(kind: ThrownKind): Promise<string> {
  return rejectLater(150, () => makeThrown(kind))
}
