// The entry `hydrant/test`: what tests of a site use.

import { execFile, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { z } from 'zod'
import { createFields, createTestSite, createVisitor } from '../../scripts/testing/index.ts'
import { createSite } from './create-site.ts'

const SIGN_IN = `import { redirect } from 'hydrant'
const user = (request) => /(?:^|; )user=(\\w+)/.exec(request.headers.cookie ?? '')?.[1] ?? null
export const load = ({ request }) => ({ user: user(request), seen: new Date(0) })
export async function action({ form, reply, request }) {
  const name = form.get('name')
  if (name === 'leave') {
    reply.header('set-cookie', ['user=; Max-Age=0; Path=/', 'theme=; Expires=Thu, 01 Jan 1970 00:00:00 GMT'])
    redirect('/')
  }
  if (name !== 'Ada') {
    reply.code(422)
    return { problem: 'Unknown name.' }
  }
  reply.header('set-cookie', ['user=Ada; Path=/; HttpOnly', 'theme=dark'])
  redirect('/')
}
`
const ECHO = `export async function action({ form, request }) {
  const values = [...form].map(([name, value]) => name + '=' + (typeof value === 'string' ? value : value.name))
  return { text: [request.method, request.headers.origin, request.headers.host, ...values].join(' ') }
}
`
const dir = createSite(t, {
  'pages/index.tsx': 'export default ({ data }) => <h1>{data.user ?? "nobody"}</h1>\n',
  'pages/index.server.ts': SIGN_IN,
  'pages/echo.tsx': 'export default ({ actionData }) => <p>{actionData?.text}</p>\n',
  'pages/echo.server.ts': ECHO,
  'pages/fail.tsx': 'export default () => null\n',
  'pages/fail.server.ts': "export function load() {\n  throw new Error('no price')\n}\n",
})
// Packages may be in a folder elsewhere.
mkdirSync(join(dir, '.packages'))
symlinkSync('.packages', join(dir, 'node_modules'))
const site = await createTestSite({ dir })
t.teardown(() => site.close())
const manifest = join(dir, '.hydrant/manifest.json')

t.test('page returns status, HTML, data and headers', async (t) => {
  const { status, html, data, headers, location } = await site.visitor().page('/')
  t.equal(status, 200)
  t.match(html, '<h1>nobody</h1>')
  t.strictSame(data, { user: null, seen: '1970-01-01T00:00:00.000Z' })
  t.match(headers['content-type'], 'text/html')
  t.equal(location, null)
  t.match(await site.page('/none'), { status: 404, data: null })
})

t.test('submit sends what a browser sends, with files too', async (t) => {
  const { status, html } = await site.submit('/echo', { a: 'ü', b: ['1', '2'] })
  t.equal(status, 200)
  t.match(html.replaceAll('<!-- -->', ''), '<p>POST http://localhost localhost a=ü b=1 b=2</p>')
  const upload = await site.submit('/echo', { a: '1', file: new File(['x'], 'x.txt') }, { method: 'PUT' })
  t.match(upload.html, 'PUT http://localhost localhost a=1 file=x.txt')
  const form = new FormData()
  form.append('a', '2')
  const other = createVisitor(site.app, 'https://shop.example')
  t.match((await other.submit('/echo', form)).html, 'POST https://shop.example shop.example a=2')
})

t.test('each visitor has their own cookies, until the site ends them', async (t) => {
  const [ada, other] = [site.visitor(), site.visitor()]
  t.match(await ada.signIn('/', { name: 'Ada' }), { status: 303, location: '/' })
  t.match((await ada.page('/')).html, '<h1>Ada</h1>')
  t.match((await ada.page('/')).data, { user: 'Ada' })
  t.match((await ada.inject('/')).body, 'Ada')
  t.match((await other.page('/')).html, '<h1>nobody</h1>')
  await ada.submit('/', { name: 'leave' })
  t.match((await ada.page('/')).data, { user: null })
})

t.test('a sign-in that does not redirect is an error with the text of the page', async (t) => {
  await t.rejects(site.visitor().signIn('/', { name: 'Bob' }), {
    code: 'HYD_TEST_SIGN_IN',
    message: 'the sign-in at / responded with 422 instead of a redirect; the page says: nobody',
  })
})

t.test('failures have the line of source', async (t) => {
  const { length } = site.failures
  t.match(await site.page('/fail'), { status: 500, data: null })
  const [failure] = site.failures.slice(length)
  t.match(failure, { message: 'no price', error: { stack: [{ file: 'pages/fail.server.ts', line: 2 }] } })
})

t.test('a site is built again only after a change', async (t) => {
  const built = statSync(manifest).mtimeMs
  const again = await createTestSite({ dir })
  t.match(await again.page('/'), { status: 200 })
  await again.close()
  writeFileSync(join(dir, 'some.test.js'), '')
  mkdirSync(join(dir, 'tests'))
  writeFileSync(join(dir, 'tests/helper.js'), '')
  writeFileSync(join(dir, 'node_modules/.package'), '')
  await (await createTestSite({ dir })).close()
  t.equal(statSync(manifest).mtimeMs, built, 'neither a test nor a linked folder of packages is part of the build')

  // Pages may have the name of a folder that is no part of the build.
  mkdirSync(join(dir, 'pages/tests'))
  writeFileSync(join(dir, 'pages/tests/new.tsx'), 'export default () => <p>new</p>\n')
  const unbuilt = await createTestSite({ dir, build: false })
  t.equal((await unbuilt.page('/tests/new')).status, 404)
  await unbuilt.close()
  const changed = await createTestSite({ dir })
  t.match((await changed.page('/tests/new')).html, '<p>new</p>')
  await changed.close()
  rmSync(join(dir, 'pages/tests'), { recursive: true })
  const removed = await createTestSite({ dir })
  t.equal((await removed.page('/tests/new')).status, 404)
  await removed.close()
})

t.test('an edit during a build is part of the next one', async (t) => {
  const page = (text: string) => `export default () => <p>${text}</p>\n`
  const edited = createSite(
    t,
    {
      'pages/index.tsx': page('old'),
      'pages/late.tsx': page('late'),
      // Pages are rendered after all files have been read.
      'pages/late.server.ts': `import { readFileSync, writeFileSync } from 'node:fs'
const file = new URL('./index.tsx', import.meta.url)
export const prerender = true
export function load() {
  if (readFileSync(file, 'utf8').includes('old')) writeFileSync(file, ${JSON.stringify(page('new'))})
}
`,
    },
    'edited',
  )
  const visit = async () => {
    const site = await createTestSite({ dir: edited })
    const { html } = await site.page('/')
    await site.close()
    return [html, statSync(join(edited, '.hydrant/manifest.json')).ino] as const
  }
  t.match((await visit())[0], '<p>old</p>')
  const [html, built] = await visit()
  t.match(html, '<p>new</p>')
  t.equal((await visit())[1], built, 'without an edit, there is no other build')
})

t.test('processes that start together build once, and set NODE_ENV themselves', async (t) => {
  rmSync(join(dir, '.hydrant'), { recursive: true })
  const entry = join(process.cwd(), 'dist/entry/test.js')
  const script = `import { statSync } from 'node:fs'
const { createTestSite } = await import(${JSON.stringify(entry)})
const site = await createTestSite({ dir: ${JSON.stringify(dir)} })
console.log((await site.page('/')).status, statSync(${JSON.stringify(manifest)}).ino)
await site.close()`
  const { NODE_ENV: _, ...env } = process.env
  const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env })
  const [one, two] = await Promise.all([run(), run()])
  t.match(one.stdout, /^200 \d+\n$/)
  t.equal(two.stdout, one.stdout)
})

t.test('in watch mode, Node.js watches the sources of the site, and not its build', async (t) => {
  const entry = join(process.cwd(), 'dist/entry/test.js')
  const script = `const { createTestSite } = await import(${JSON.stringify(entry)})
const site = await createTestSite({ dir: ${JSON.stringify(dir)} })
await site.close()`
  const env = { ...process.env, WATCH_REPORT_DEPENDENCIES: '1' }
  const stdio: StdioOptions = ['ignore', 'ignore', 'inherit', 'ipc']
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { env, stdio })
  const watched: string[] = []
  child.on('message', (message: Record<string, (string | null)[]>) => {
    watched.push(...Object.values(message).flatMap((files) => files.filter((file) => file !== null)))
  })
  t.strictSame(await once(child, 'close'), [0, null])
  t.ok(watched.includes(join(dir, 'pages/index.tsx')))
  t.strictSame(
    watched.filter((file) => file.startsWith(dir) && !existsSync(file)),
    [],
  )
  t.notOk(watched.some((file) => file.includes(join(dir, '.hydrant'))))
})

t.test('makes the fields of a page whose component is rendered', async (t) => {
  const form = z.object({ email: z.email(), tags: z.array(z.enum(['new', 'old'])) })
  const fields = createFields(form)
  t.strictSame({ ...fields.email }, { name: 'email', required: true, type: 'email' })
  const invalid = { issues: { email: ['Enter an address.'] }, values: { email: 'ada', tags: 'new' } }
  const refused = createFields(form, invalid)
  t.match({ ...refused.email }, { defaultValue: 'ada', 'aria-invalid': true, 'aria-describedby': 'email-error' })
  t.strictSame(refused.email.issues, ['Enter an address.'])
  t.equal(refused.tags.option('new').defaultChecked, true)
  // @ts-expect-error The type has only the names of the schema.
  t.equal(fields.name?.name, 'name')
  // @ts-expect-error A text is no schema.
  t.throws(() => createFields('email'), { code: 'HYD_SCHEMA_INVALID' })
})

t.test('a test of a component loads no module of the server', async (t) => {
  const entries = ['react', 'test'].map((name) => JSON.stringify(join(process.cwd(), `dist/entry/${name}.js`)))
  const script = `const { createRequire } = await import('node:module')
const [, { answerSubmissions }] = [await import(${entries[0]}), await import(${entries[1]})]
await answerSubmissions(() => {})
console.log(Object.keys(createRequire(import.meta.url).cache).filter((file) => /node_modules.(?:fastify|@fastify.busboy)./.test(file)))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  t.equal(stdout.trim(), '[]')
})

t.test('a build that fails is an error with the place', async (t) => {
  const broken = createSite(t, { 'pages/index.tsx': 'export default () => <p>\n' }, 'broken')
  await t.rejects(createTestSite({ dir: broken }), {
    code: 'HYD_TEST_BUILD',
    message: /does not build:\nError \[HYD_BUILD_SYNTAX\][\s\S]*pages\/index\.tsx:/,
  })
  t.notOk(existsSync(join(broken, '.hydrant')))
})
