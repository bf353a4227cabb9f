import t from 'tap'
import { placeOf, readBlocks } from './code/code-block.ts'

function pathOf(fence: string, { before = '', text = '' } = {}): string | undefined {
  return readBlocks(`# Title\n\n${before}\n\n\`\`\`${fence}\n${text}\n\`\`\`\n`)[0]?.path
}

t.test('a block is in the file that its fence names', async (t) => {
  t.equal(pathOf('tsx pages/[id].tsx', { before: 'Write `a.ts`:', text: '// b.ts' }), 'pages/[id].tsx')
})

t.test('or else in the file that its first line names', async (t) => {
  t.equal(pathOf('ts', { before: 'Write `a.ts`:', text: '// pages/[id].server.ts\nlet a' }), 'pages/[id].server.ts')
  t.equal(pathOf('js', { text: '// a.js: node a.js' }), 'a.js')
  t.equal(pathOf('yaml', { text: '# a.yml' }), 'a.yml')
})

t.test('or else in the file that the text before names', async (t) => {
  t.equal(pathOf('ts', { before: 'Add the plugin of `b` in `a.ts`:' }), 'a.ts')
  t.equal(pathOf('ts', { before: 'It is in `a.ts`.' }), '')
  t.equal(pathOf('sh', { before: 'Run `a.ts`:' }), '')
})

t.test('a block can be a part of a file', async (t) => {
  const [block] = readBlocks('\n\n```ts fragment\nlet a\n```\n', 'a.md')
  t.match(block, { path: '', isFragment: true, language: 'ts', text: 'let a\n' })
  if (block) t.equal(placeOf(block), 'a.md:4')
  if (block) t.equal(placeOf(block, 3), 'a.md:6')
})
