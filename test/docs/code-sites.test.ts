import t from 'tap'
import { findProblems } from './code/check-site.ts'
import { placeOf, readBlocks } from './code/code-block.ts'
import { installDocumentedPackages } from './code/documented-packages.ts'
import { readDocuments } from './code/documents.ts'
import { sitesOf } from './code/sample-sites.ts'

await installDocumentedPackages()
const blocks = await readDocuments(t)

for (const document of new Set(blocks.map(({ document }) => document))) {
  for (const site of sitesOf(document, blocks)) {
    const places = [...site.blocks.values()].map((block) => placeOf(block)).join(', ')
    t.test(`the site of ${places}`, async (t) => {
      t.strictSame(await findProblems(t, site), [])
    })
  }
}

t.test('a problem is reported with its place in the document', async (t) => {
  const page = "import { href } from 'hydrant/react'\n\nexport default () => <a href={href('/missing')}>Missing</a>\n"
  const [site] = sitesOf('a.md', readBlocks(`# Title\n\n\`\`\`tsx pages/index.tsx\n${page}\`\`\`\n`, 'a.md'))
  t.ok(site)
  if (site) t.match(await findProblems(t, site), [/^a\.md:6: error TS\d+: .*"\/missing"/])
})
