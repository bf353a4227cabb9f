import { renderToStaticMarkup } from 'react-dom/server.bun'
import t from 'tap'
import type { Field } from '../../src/shared/page-types.ts'
import { createFields } from '../../src/shared/tree/fields.ts'
import type { FormRules, Invalid } from '../../src/shared/wire/boot.ts'

const RULES: FormRules = {
  email: { type: 'email', required: true },
  topics: { multiple: true },
  size: { required: true },
  'items[].name': { minLength: 2 },
  constructor: { maxLength: 3 },
}

/** Returns the field with this name, as the types of a page guarantee it. */
function fieldsOf(invalid?: Invalid): (name: string) => Field {
  const fields = createFields(RULES, invalid)
  return (name) => {
    const field = fields[name]
    if (!field) throw new Error(`There is no field ${name}.`)
    return field
  }
}

t.test('a field that was not sent has its name and its rules', async (t) => {
  const field = fieldsOf()
  t.strictSame({ ...field('email') }, { name: 'email', type: 'email', required: true })
  t.strictSame({ ...field('items[7].name') }, { name: 'items[7].name', minLength: 2 })
  t.strictSame({ ...field('unknown') }, { name: 'unknown' })
  t.strictSame({ ...field('toString') }, { name: 'toString' }, 'nothing is inherited')
  t.equal(field('constructor').maxLength, 3)
  t.strictSame(field('email').issues, [])
})

t.test('a field that was not accepted has the typed text and its messages', async (t) => {
  const field = fieldsOf({ issues: { email: ['Wrong'] }, values: { email: 'ada', topics: 'a', other: ['x', 'y'] } })
  t.strictSame(
    { ...field('email') },
    {
      name: 'email',
      type: 'email',
      required: true,
      'aria-invalid': true,
      'aria-describedby': 'email-error',
      defaultValue: 'ada',
      autoFocus: true,
    },
  )
  t.equal(field('email').errorId, 'email-error')
  t.strictSame(field('email').issues, ['Wrong'])
  t.strictSame(field('topics').defaultValue, ['a'], 'a list is an array for <select multiple>')
  t.strictSame(field('topics[]').defaultValue, ['a'], 'another spelling of the same name')
  t.equal(field('first name').errorId, 'first-name-error', 'an id has no spaces')
  t.strictSame(
    Object.keys({ ...field('email') }).filter((name) => ['issues', 'errorId', 'option'].includes(name)),
    [],
  )
})

t.test('the values of a list are selected options, and each text input shows its own', async (t) => {
  const values = { topics: ['a', 'b'], 'items[0]': 'a', 'items[1]': 'b', one: 'c' }
  const field = fieldsOf({ issues: {}, values })
  const select = renderToStaticMarkup(
    <select {...field('topics')}>
      <option>a</option>
      <option>b</option>
      <option>c</option>
    </select>,
  )
  t.match(select, '<option selected="">a</option><option selected="">b</option><option>c</option>')
  const texts = renderToStaticMarkup(
    <>
      <input {...field('items[0]')} />
      <input {...field('items[1]')} />
    </>,
  )
  t.equal(texts, '<input name="items[0]" value="a"/><input name="items[1]" value="b"/>')
  t.notMatch(renderToStaticMarkup(<input {...field('topics')} />), /a,b/, 'no text that nobody has typed')
  const one = fieldsOf({ issues: {}, values: { topics: 'a' } })
  t.match(renderToStaticMarkup(<input {...one('topics')} />), 'value="a"')
})

t.test('the first element with a message that is rendered gets the focus', async (t) => {
  const field = fieldsOf({ issues: { b: ['1'], a: ['2'], size: ['3'] }, values: {} })
  const html = renderToStaticMarkup(
    <form>
      <p>{field('b').issues}</p>
      <input {...field('c')} />
      <input type="radio" {...field('size').option('S')} />
      <input type="radio" {...field('size').option('L')} />
      <input {...field('a')} />
      <input {...field('b')} />
    </form>,
  )
  t.strictSame(
    html.match(/<input[^>]*autofocus[^>]*>/g)?.map((tag) => /name=.*/.exec(tag)?.[0]),
    ['name="size" value="S"/>'],
  )
})

t.test('options are ticked as the visitor has left them', async (t) => {
  t.notHas(fieldsOf()('topics').option('a'), { defaultChecked: true })
  const some = fieldsOf({ issues: {}, values: { topics: ['a', 'b'] } })
  t.equal(some('topics').option('a').defaultChecked, true)
  t.equal(some('topics').option('c').defaultChecked, false)
  t.equal(fieldsOf({ issues: {}, values: {} })('topics').option('a').defaultChecked, false, 'none of them')
})

t.test('symbols are no fields', async (t) => {
  t.equal((createFields(RULES) as Record<symbol, unknown>)[Symbol.iterator], undefined)
})
