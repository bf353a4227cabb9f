import t from 'tap'
import { readBrowserStack } from '../../../../src/server/failures/stacks/stack-frame.ts'
import { findFailing } from '../../../find-failing.ts'

const ASSETS = 'https://shop.example/_hydrant/assets'

t.test('stacks of Chrome and Edge', async (t) => {
  const stack = `TypeError: Cannot read properties of undefined (reading 'name')
    at p (${ASSETS}/products-id-7QK2MZ4A.js:1:412)
    at Object.onClick (${ASSETS}/products-id-7QK2MZ4A.js:1:98)
    at async ${ASSETS}/chunk-ABCDEFGH.js:3:7
    at async Promise.all (index 0)
    at new e (${ASSETS}/chunk-ABCDEFGH.js:3:9)
    at HTMLButtonElement.<anonymous> (${ASSETS}/chunk-ABCDEFGH.js:3:11)`
  t.same(readBrowserStack(stack), stack.split('\n').slice(1))
})

t.test('stacks of Firefox', async (t) => {
  const stack = `p@${ASSETS}/products-id-7QK2MZ4A.js:1:412
onClick@${ASSETS}/products-id-7QK2MZ4A.js:1:98
o/c/<@${ASSETS}/chunk-ABCDEFGH.js:3:7
async*l@${ASSETS}/chunk-ABCDEFGH.js:3:9
setTimeout handler*i@${ASSETS}/chunk-ABCDEFGH.js:3:11
@${ASSETS}/chunk-ABCDEFGH.js:3:13
EventListener.handleEvent*Bp@${ASSETS}/entry-ABCDEFGH.js:8:4711
u@${ASSETS}/chunk-ABCDEFGH.js line 3 > eval:1:1
`
  t.same(readBrowserStack(stack), [
    `    at p (${ASSETS}/products-id-7QK2MZ4A.js:1:412)`,
    `    at onClick (${ASSETS}/products-id-7QK2MZ4A.js:1:98)`,
    `    at c (${ASSETS}/chunk-ABCDEFGH.js:3:7)`,
    `    at async l (${ASSETS}/chunk-ABCDEFGH.js:3:9)`,
    `    at async i (${ASSETS}/chunk-ABCDEFGH.js:3:11)`,
    `    at ${ASSETS}/chunk-ABCDEFGH.js:3:13`,
    `    at async Bp (${ASSETS}/entry-ABCDEFGH.js:8:4711)`,
  ])
})

t.test('stacks of Safari', async (t) => {
  const stack = `p@${ASSETS}/products-id-7QK2MZ4A.js:1:412
${ASSETS}/products-id-7QK2MZ4A.js:1:98
@${ASSETS}/chunk-ABCDEFGH.js:3:7
[native code]
promiseReactionJob@[native code]
module code@${ASSETS}/entry-ABCDEFGH.js:8:4711
global code@${ASSETS}/entry-ABCDEFGH.js:8:1`
  t.same(readBrowserStack(stack), [
    `    at p (${ASSETS}/products-id-7QK2MZ4A.js:1:412)`,
    `    at ${ASSETS}/products-id-7QK2MZ4A.js:1:98`,
    `    at ${ASSETS}/chunk-ABCDEFGH.js:3:7`,
    `    at ${ASSETS}/entry-ABCDEFGH.js:8:4711`,
    `    at ${ASSETS}/entry-ABCDEFGH.js:8:1`,
  ])
})

t.test('React’s stacks of components in Firefox and Safari', async (t) => {
  const stack = `
p@unknown:0:0
Tu@${ASSETS}/entry-ABCDEFGH.js:9:55062
Qn@
main@unknown:0:0`
  t.same(readBrowserStack(stack), [
    '    at p (<anonymous>)',
    `    at Tu (${ASSETS}/entry-ABCDEFGH.js:9:55062)`,
    '    at main (<anonymous>)',
  ])
})

t.test('text that is not a stack has no frames, and a long stack is cut', async (t) => {
  const texts = ['', 'Error', '@', '@:1:1', 'at home', 'a@b', `${'x'.repeat(5_000)}:1:1`]
  const failing = await findFailing(
    texts,
    (text) => readBrowserStack(text),
    () => [],
  )
  t.strictSame(failing, [])
  const long = `f@${ASSETS}/${'x'.repeat(2_000)}.js:1:1\n`.repeat(500)
  const frames = readBrowserStack(long)
  t.equal(frames.length, 50)
  t.ok(frames.every((frame) => frame.length <= 500))
})

// A quadratic pattern would take hours for these, and the test would end by its timeout.
t.test('reading a line takes linear time, whatever repeats in it', async (t) => {
  const times = 300_000
  const parts = [
    'http:@',
    '@',
    'a@',
    'x-extension:@',
    'a-',
    ':1',
    ':1:1',
    'a.',
    '/',
    '*',
    ' line 1 > ',
    '<',
    '(',
    '    at ',
    ' (',
  ]
  const lines = parts.flatMap((part) => ['', ':1:1', '@b.js:1:1', '!'].map((end) => ({ part, end })))
  const failing = await findFailing(lines, ({ part, end }) => {
    const { length } = readBrowserStack(part.repeat(times) + end)
    return length <= 1 ? undefined : length
  })
  t.strictSame(failing, [])
  t.same(readBrowserStack('http:@https://a.example/b.js:1:2'), ['    at http: (https://a.example/b.js:1:2)'])
  t.same(readBrowserStack('f@g@https://a.example/b@c.js:1:2'), ['    at f@g (https://a.example/b@c.js:1:2)'])
  t.same(readBrowserStack('f@moz-extension://a/b.js:1:2'), ['    at f (moz-extension://a/b.js:1:2)'])
  t.same(readBrowserStack('f@app.js:1:2\napp.js:3:4\n@app.js:5:6'), [
    '    at f (app.js:1:2)',
    '    at app.js:3:4',
    '    at app.js:5:6',
  ])
})
