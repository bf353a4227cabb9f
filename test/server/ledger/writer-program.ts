// A process that writes failures: node writer-program.js PLACE BATCHES [RELEASE]. It reports each written batch.

import { createPostgresLedger } from '../../../src/server/ledger/postgres/postgres-ledger.ts'
import { createFileLedger } from '../../../src/server/ledger/sqlite/file-ledger.ts'
import { entryOfAll, LIMITS, NOW, name } from './entries.ts'

const [place = '', batches = '0', release = 'r1'] = process.argv.slice(2)
const ledger = place.startsWith('postgres:')
  ? createPostgresLedger(place, LIMITS)
  : createFileLedger(place, LIMITS, (text) => console.error(text))

for (let batch = 0; batch < Number(batches); batch++) {
  // Each batch has another order, as replicas meet failures.
  const fingerprints = [1, 2, 3, 4, 5].map((number) => name((number + batch) % 5))
  const times = (fingerprint: string) => [
    { fingerprint, release, time: NOW + batch },
    { fingerprint, release, time: NOW + batch },
  ]
  await ledger.record(fingerprints.map((fingerprint) => entryOfAll(times(fingerprint))))
  console.log(`written ${batch + 1}`)
}
await ledger.close()
