// The console imports only the public names of the package. `src/server/ledger/slow-hints.ts` has these functions too.

/** Returns a duration as text: `0.4 ms`, `310 ms`, `4.2 s`. */
export function duration(ms: number): string {
  if (ms >= 99_950) return `${Math.round(ms / 1_000)} s`
  if (ms >= 999.5) return `${(ms / 1_000).toFixed(1)} s`
  return ms >= 9.95 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`
}

/** Returns a share as text: `54 %`. */
export function percent(share: number): string {
  return share > 0 && share < 0.01 ? '<1 %' : `${Math.round(share * 100)} %`
}

/** Names a step: `load pages/cart.server.ts:12`. */
export function stepName({ kind, subject }: { kind: string; subject: string }): string {
  return subject === '' ? kind : `${kind} ${subject}`
}
