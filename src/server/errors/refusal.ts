import { STATUS_CODES } from 'node:http'
import { NOT_FOUND } from '../../shared/tree/app-tree.tsx'
import type { Refusal } from '../../shared/wire/public-error.ts'
import type { ThrownKind } from './classify-thrown.ts'

/** Returns what the visitor reads of `notFound()` or of a refusal. */
export function refusalOf(kind: Extract<ThrownKind, { kind: 'notFound' | 'refusal' }>): Refusal {
  if (kind.kind === 'notFound') return NOT_FOUND
  const { status, message } = kind
  return { kind: 'refusal', status, message: message || (STATUS_CODES[status] ?? 'Refused') }
}
