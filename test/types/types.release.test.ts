// The types of routes, data, guards and schemas, in sites that one process of each compiler checks. A compiler reads the
// types of the packages once, which takes longer than to check a site.

import { join } from 'node:path'
import t from 'tap'
import { prepareDocuments } from './documents.ts'
import { prepareGuards } from './guards.ts'
import { prepareMistakes } from './mistakes.ts'
import { prepareOtherExports } from './other-exports.ts'
import { prepareRoutes } from './routes.ts'
import { prepareSchemas } from './schemas.ts'
import { checkTypes } from './typed-site.ts'

const folder = t.testdir({})
// All before the first test: tap ends when it has none to wait for.
const sites = [
  await prepareRoutes(t, join(folder, 'routes')),
  await prepareMistakes(t, join(folder, 'mistakes')),
  await prepareGuards(t, join(folder, 'guards')),
  await prepareOtherExports(t, join(folder, 'other-exports')),
  await prepareSchemas(t, join(folder, 'schemas')),
  await prepareDocuments(t, join(folder, 'documents')),
]
const checked = await checkTypes(sites.flatMap(({ projects }) => projects))
let first = 0
for (const { projects, test } of sites) {
  const end = first + projects.length
  test(
    t,
    checked.map(({ name, errors }) => ({ name, errors: errors.slice(first, end) })),
  )
  first = end
}
