import t from 'tap'
import { findCommandProblems } from './code/check-commands.ts'
import { type CodeBlock, readBlocks } from './code/code-block.ts'
import { installDocumentedPackages } from './code/documented-packages.ts'
import { readDocuments } from './code/documents.ts'
import { prepareSite } from './code/prepared-site.ts'
import { readCommands } from './code/shell-commands.ts'

/** Its commands have a test that also compares what they print: `test/server/site-scripts.process.test.ts`. */
const SCRIPTS = 'site/pages/docs/scripts.tsx'

await installDocumentedPackages()
const blocks = await readDocuments(t)
const site = await prepareSite(t)

/** Runs each command once. Returns a line for each problem. */
async function findProblems(blocks: readonly CodeBlock[]): Promise<string[]> {
  const problems: string[] = []
  const seen = new Set<string>()
  for (const block of blocks) {
    const { commands, problem } = readCommands(block)
    if (problem !== null) problems.push(problem)
    for (const command of commands) {
      const key = JSON.stringify([command.words, command.env])
      if (seen.has(key)) continue
      seen.add(key)
      problems.push(...(await findCommandProblems(t, site, command)))
    }
  }
  return problems
}

t.test('the commands that the documents show', async (t) => {
  const shown = blocks.filter(({ document }) => document !== SCRIPTS)
  t.ok(shown.flatMap((block) => readCommands(block).commands).length > 50)
  t.strictSame(await findProblems(shown), [])
})

t.test('a problem is reported with its place in the document', async (t) => {
  for (const [line, problem] of [
    ['hydarnt build', 'hydarnt: '],
    ["curl 'http://localhost:3000", 'unexpected EOF'],
    ['npx hydrant bild', 'HYD_CLI_USAGE'],
    ['npx hydrant start --prot 1', 'HYD_CLI_USAGE'],
    ['HYDRANT_BSE=/shop npx hydrant start', 'HYD_OPTION_UNKNOWN'],
    ['docker run -e HYDRANT_BSE=/shop my-site', 'HYD_OPTION_UNKNOWN'],
    ['npm install hydarnt', 'not known'],
    ['npm run biuld', 'no package.json'],
    ['curl http://localhost:3000/none', 'it got 404'],
    ['cp node_modules/hydrant/docs/none .', 'does not exist'],
  ] as const) {
    const wrong = readBlocks(`\`\`\`sh\ncd my-site\n${line}\n\`\`\`\n`, 'a.md')
    t.match(await findProblems(wrong), [new RegExp(`^a\\.md:3: .*${problem}`, 's')], line)
  }
})
