import { runInNewContext } from 'node:vm'
import t from 'tap'
import {
  BOOT_VARIABLE,
  type BootDocument,
  type BootPlan,
  bootScript,
  fulfilledText,
  messageScript,
  messageText,
  planFields,
} from '../../src/shared/wire/boot.ts'
import { serialize } from '../../src/shared/wire/values.ts'
import { findFailing } from '../find-failing.ts'
import { createRandom } from './random.ts'

const HOSTILE = `</script><script>alert(1)</script><!-- ]]> \u2028\u2029 \\ " ' \` \${1} \u0000 %`

const plan: BootPlan = {
  build: '0123456789abcdef',
  layouts: [
    { file: 'layout-ABCD.js', css: ['a.css'] },
    { file: null, error: 'error-ABCD.js' },
  ],
  leaf: { kind: 'page', file: 'index-ABCD.js' },
}
const visit: BootDocument = { url: 'https://shop.example/a?b=c', params: { id: '1' } }

/** Runs scripts one after another as a browser would. Returns the value of the global variable. */
function run(scripts: readonly string[]): unknown[] {
  const self: Record<string, unknown> = {}
  for (const script of scripts) runInNewContext(script, { self })
  if (Object.keys(self).join() !== BOOT_VARIABLE) throw new Error(`Global as well: ${Object.keys(self)}`)
  // Copies the data into this realm: the sandbox has its own prototypes.
  return JSON.parse(JSON.stringify(self[BOOT_VARIABLE])) as unknown[]
}

const data = (value: unknown) => serialize(value, () => 1)

t.test('the script returns the same value', async (t) => {
  t.strictSame(run([bootScript(planFields(plan), visit, [data({ a: 1 }), data(undefined)])]), [
    { ...visit, ...plan, data: [{ plain: { a: 1 } }, {}] },
  ])
  t.strictSame(run([bootScript(planFields(plan), { ...visit, host: 'h' }, [])]), [
    { ...visit, host: 'h', ...plan, data: [] },
  ])
})

t.test('no value can end the script', async (t) => {
  const hostilePlan: BootPlan = {
    build: HOSTILE,
    layouts: [{ file: HOSTILE, css: [HOSTILE], error: HOSTILE }],
    leaf: { kind: 'shown', file: HOSTILE },
  }
  const hostileVisit: BootDocument = {
    url: HOSTILE,
    params: { [HOSTILE]: HOSTILE, constructor: HOSTILE },
    shown: { kind: 'refusal', status: 403, message: HOSTILE },
    host: HOSTILE,
  }
  const script = bootScript(planFields(hostilePlan), hostileVisit, [
    data({ [HOSTILE]: [HOSTILE] }),
    data([-0, HOSTILE]),
  ])
  t.notMatch(script, /[<\u2028\u2029]/)
  t.strictSame(run([script]), [
    { ...hostileVisit, ...hostilePlan, data: [{ plain: { [HOSTILE]: [HOSTILE] } }, [[-6, 1], HOSTILE]] },
  ])
})

t.test('any path and parameters arrive unchanged', async (t) => {
  const random = createRandom(5)
  const alphabet = `ab/?&=#%<>"'\\\u2028\u2029\u0000\n\r\téß漢😀!-[](){}`
  const text = () => random.text(random.below(20), alphabet)
  const visits = Array.from({ length: 50 }, () => {
    // A parameter's name is part of a file name, where "__proto__" has no effect.
    const odd: BootDocument = { url: text(), params: { [`p${text()}`]: text(), q: text() } }
    return { odd, value: text() }
  })
  const failing = await findFailing(
    visits,
    ({ odd, value }) => run([bootScript(planFields(plan), odd, [data(value)])]),
    ({ odd, value }) => [{ ...odd, ...plan, data: [{ plain: value }] }],
  )
  t.strictSame(failing, [])
})

t.test('settlements and notices are pushed after the boot data', async (t) => {
  const messages: Parameters<typeof messageText>[0][] = [
    [0, 'open', 15_000],
    [2, 'failure', '7K3M9QZD-0F4XTB'],
    [3, 'refusal', 403, HOSTILE],
    [0, 'late', '7K3M9QZD-0F4XTB'],
    [0, 'end'],
  ]
  const scripts = [
    bootScript(planFields(plan), visit, []),
    messageScript(fulfilledText(1, data({ text: HOSTILE }))),
    ...messages.map((message) => messageScript(messageText(message))),
  ]
  for (const script of scripts) t.notMatch(script, /[<\u2028\u2029]/)
  t.strictSame(run(scripts).slice(1), [[1, 'value', { plain: { text: HOSTILE } }], ...messages])
})
