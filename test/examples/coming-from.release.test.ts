// All examples are the same site, which was written for another framework before.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { launchChromium } from '../browser/chromium.ts'
import { readMarkdown } from '../docs/code/code-block.ts'
import { installDocumentedPackages, linkDocumentedPackages } from '../docs/code/documented-packages.ts'
import { givenSecrets } from '../docs/code/given-files.ts'
import { readCommands } from '../docs/code/shell-commands.ts'
import { findErrorsOfProjects, TSC } from '../types/typed-site.ts'
import { buildExample, type Example, listExamples } from './example.ts'

Object.assign(process.env, givenSecrets)
await installDocumentedPackages()
const folder = t.testdir({})
linkDocumentedPackages(folder)
const examples: Example[] = []
for (const name of listExamples()) examples.push(await buildExample(name, folder))
const chromium = await launchChromium(t)

t.test('the compiler finds no error in any example', async (t) => {
  const projects = examples.map(({ dir }) => join(dir, 'tsconfig.json'))
  const errors = await findErrorsOfProjects(TSC, folder, projects)
  t.strictSame(
    errors,
    projects.map(() => []),
  )
})

t.test('each page installs all packages that its site needs', async (t) => {
  for (const { name } of examples) {
    const [before, after] = ['before', 'after'].map((state) => readPackages(`examples/coming-from/${name}/${state}`))
    const commands = readMarkdown(`docs/coming-from/${name}.md`).flatMap((block) => readCommands(block).commands)
    const named = (command: string) =>
      commands.filter(({ words }) => words[0] === 'npm' && words[1] === command).flatMap(({ words }) => words.slice(2))
    const kept = before?.filter((one) => !named('uninstall').includes(one)) ?? []
    const installed = new Set([...kept, ...named('install')])
    t.strictSame(
      after?.filter((one) => !installed.has(one)),
      [],
      name,
    )
  }
})

function readPackages(folder: string): string[] {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return Object.keys({ ...dependencies, ...devDependencies })
}

for (const example of examples) {
  t.test(`the site that comes from ${example.name}`, async (t) => {
    const app = await example.createApp()
    t.teardown(() => app.close())
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    await t.test('serves pages and errors', (t) => checkPages(t, origin))
    await t.test('validates a form', (t) => checkForm(t, origin))
    await t.test('lets only members in', (t) => checkMembers(t, origin))
    await t.test('works in a browser', (t) => checkBrowser(t, origin))
  })
}

async function checkPages(t: Test, origin: string) {
  const list = await request(`${origin}/`)
  t.equal(list.status, 200)
  t.match(list.body, '<title>Reading club</title>')
  t.match(list.body, '<a href="/books/emma">Emma</a>')
  t.match((await request(`${origin}/books/emma`)).body, '<h1>Emma</h1>')

  const missing = await request(`${origin}/books/none`)
  t.equal(missing.status, 404)
  t.match(missing.body, 'This book is not in our list')
  const unknown = await request(`${origin}/none`)
  t.equal(unknown.status, 404)
  t.match(unknown.body, 'This page does not exist')

  const torn = await request(`${origin}/books/torn`)
  t.equal(torn.status, 500)
  t.match(torn.body, 'This page cannot be shown')
  t.match(torn.body, String(torn.headers.get('x-error-digest')))
  t.notMatch(torn.body, 'cannot be read')

  const api = await fetch(`${origin}/api/books`)
  t.match(await api.json(), [{ id: 'emma' }, { id: 'ulysses' }])
}

async function checkForm(t: Test, origin: string) {
  const refused = await request(`${origin}/suggest`, { form: { title: 'D', email: 'ada' } })
  t.equal(refused.status, 422)
  t.match(refused.body, 'Enter the title.')
  t.match(refused.body, 'Enter an e-mail address.')
  t.match(refused.body, 'value="ada"')
  const sent = await request(`${origin}/suggest`, { form: { title: 'Dune', email: 'ada@example.org' } })
  t.equal(sent.status, 303)
  t.equal(sent.headers.get('location'), '/')
}

async function checkMembers(t: Test, origin: string) {
  for (const accept of ['text/html', 'application/json']) {
    const stranger = await request(`${origin}/members`, { accept })
    t.equal(stranger.headers.get('location'), '/sign-in')
    t.notMatch(stranger.body, 'Dune')
  }
  const wrong = await request(`${origin}/sign-in`, { form: { name: 'Ada', password: 'byron' } })
  t.equal(wrong.status, 422)
  const right = await request(`${origin}/sign-in`, { form: { name: 'Ada', password: 'lovelace' } })
  t.equal(right.headers.get('location'), '/members')
  const cookie = right.headers.getSetCookie().map((line) => line.replace(/;.*/, ''))
  const member = await request(`${origin}/members`, { cookie: cookie.join('; ') })
  t.match(member.body, 'Ada’s club')
  t.match(member.body, '<li>Dune</li>')
}

async function checkBrowser(t: Test, origin: string) {
  const { page, errors, goto, hydrated } = await chromium.open()
  await goto(`${origin}/`, 'load')
  await hydrated()
  let documents = 0
  page.on('request', (request) => {
    if (request.isNavigationRequest()) documents++
  })
  await page.getByRole('link', { name: 'Emma' }).click()
  await page.getByRole('button', { name: 'Not read yet' }).click()
  await page.getByRole('button', { name: 'Read', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Members' }).click()
  await page.getByLabel('Name').fill('Ada')
  await page.getByLabel('Password').fill('lovelace')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Ada’s club' }).waitFor()
  await page.getByText('Hello Ada').waitFor()
  t.equal(documents, 0, 'no other document was loaded')
  t.strictSame(errors, [])
  await page.context().close()
}

interface RequestOptions {
  accept?: string
  cookie?: string
  form?: Record<string, string>
}

async function request(url: string, { accept = 'text/html', cookie = '', form }: RequestOptions = {}) {
  const body = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }
  const response = await fetch(url, { headers: { accept, cookie }, redirect: 'manual', ...body })
  // React separates neighboring texts with an empty comment.
  const text = (await response.text()).replaceAll('<!-- -->', '')
  return { status: response.status, headers: response.headers, body: text }
}
