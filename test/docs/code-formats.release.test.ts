import t from 'tap'
import { findFormatProblems } from './code/check-formats.ts'
import { readBlocks } from './code/code-block.ts'
import { readDocuments } from './code/documents.ts'

const blocks = await readDocuments(t)

t.test('each block is of a kind that a test knows, and its format is right', async (t) => {
  const problems = await Promise.all(blocks.map(findFormatProblems))
  t.comment(`${blocks.length} blocks in ${new Set(blocks.map(({ document }) => document)).size} documents`)
  t.ok(blocks.length > 200)
  t.strictSame(problems.flat(), [])
})

t.test('a problem is reported with its place in the document', async (t) => {
  for (const [fence, text, problem] of [
    ['ts', 'const app = Fastify()', 'a.md:4: no test knows "ts"'],
    ['json', '{ "a": 1, }', 'a.md:4: SyntaxError'],
    ['css', 'a { color: red', 'a.md:5: '],
    ['yaml', 'a: [', 'a.md:5: '],
    ['nginx', 'proxy_pas http://127.0.0.1:3000;', 'a.md:4: .*unknown directive "proxy_pas"'],
    ['ini', '[Service]\nEnvironment=HYDRANT_WORKERS=many', 'a.md:5: .*HYD_OPTION_INVALID'],
    ['ini', '[Service]\nUser', 'a.md:5: '],
    ['sh Dockerfile', 'FORM node:22', 'a.md:4: '],
    ['http', 'HTTP/1.1 200 OK\n\n{', 'a.md:4: SyntaxError'],
    ['promql', 'rate(hydrant_none_total[5m])', 'a.md:4: there is no metric hydrant_none_total'],
    ['text', 'Error [HYD_BUILD_FAILED] the build failed', 'a.md:4: '],
    ['', 'HYDRANT_BSE', 'a.md:4: .*HYD_OPTION_UNKNOWN'],
  ] as const) {
    const [block] = readBlocks(`# Title\n\n\`\`\`${fence}\n${text}\n\`\`\`\n`, 'a.md')
    t.ok(block)
    if (block) t.match(await findFormatProblems(block), [new RegExp(`^${problem}`, 's')], `${fence}: ${text}`)
  }
})
