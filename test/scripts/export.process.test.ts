import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { ExportOptions } from '../../scripts/export/export-site.ts'
import { addHeadElements } from '../../scripts/export/render-site.ts'
import { whileSharing } from '../shared-compression.ts'
import { createSite, writeSite } from './create-site.ts'
import { runCli } from './run-cli.ts'

const { documentFile, exportSite } = await import('../../scripts/export/export-site.ts')
const { runExport } = await import('../../scripts/commands/export.ts')

const page = (name: string) =>
  `export const prerender = true\nexport default function Page({ url }) {\n  return <main><link rel="canonical" href={url} />${name}</main>\n}\n`

const files = {
  // Fewer than the pages that are rendered at a time.
  'hydrant.config.ts': 'export default { limits: { maxRenders: 1 } }\n',
  'pages/index.tsx': page('home'),
  'pages/about.tsx': `export const prerender = true
export default function About({ url }) {
  if (String(url).includes('fails.example')) throw new Error('the page fails')
  return <link rel="canonical" href={url} />
}
`,
  'pages/docs/[...path].tsx': 'export default function Doc({ data }) {\n  return <p>{data}</p>\n}\n',
  'pages/docs/[...path].server.ts':
    "export const prerender = () => [{ params: { path: 'intro' } }, { params: { path: 'a/b c' } }, '/docs/ü']\nexport const load = ({ params }) => 'the document ' + params.path\n",
  'pages/old.tsx': 'export default () => null\n',
  'pages/old.server.ts':
    "import { redirect } from 'hydrant'\nexport const prerender = true\nexport const load = () => redirect('/docs/intro?a=1&b', 308)\n",
  'pages/away.tsx': 'export default () => null\n',
  'pages/away.server.ts':
    "import { redirect } from 'hydrant'\nexport const prerender = true\nexport const load = () => redirect(new URL('https://other.example/'), 307)\n",
  'public/robots.txt': 'User-agent: *\n',
  'public/.well-known/security.txt': 'Contact: mailto:a@example.com\n',
}
const origin = 'https://example.com'
const exportTo = (dir: string, options: Partial<ExportOptions> = {}) =>
  whileSharing(() => exportSite({ dir, origin, inFolders: false, ...options }))

const list = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .filter((name) => !name.startsWith('_hydrant/assets/'))
    .sort()

t.test('a page whose file Windows cannot have is refused on each system', async (t) => {
  const refused = ['/con', '/docs/AUX', '/com1', '/nul.txt', '/a.', '/a%20', '/b./c', '/..', '/12:30']
  t.strictSame(
    refused.filter((path) => !isRefused(path)),
    [],
  )
  t.strictSame(['/console', '/com', '/a.b', '/.well-known/a', '/a%20b'].filter(isRefused), [])
})

function isRefused(path: string): boolean {
  try {
    documentFile(path, true)
    return false
  } catch (error) {
    return (error as { code?: string }).code === 'HYD_EXPORT_FILE'
  }
}

t.test('a site is written as files', async (t) => {
  const dir = createSite(t, files)
  const { folder, build, pages } = await exportTo(dir)
  const { buildId, clientFiles } = build.manifest
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const own = `_hydrant/pages/${buildId}`

  t.test('documents, data, public files and files for hosts', async (t) => {
    t.equal(folder, join(dir, 'export'))
    t.equal(pages, 7)
    t.strictSame(
      list(folder),
      [
        ...[
          '.hydrant-export',
          '.nojekyll',
          '.well-known/security.txt',
          '404.html',
          '_headers',
          '_redirects',
          'robots.txt',
        ],
        ...['', 'about', 'away', 'old', 'docs/a/b c', 'docs/intro', 'docs/ü'].flatMap((path) => [
          `${path || 'index'}.html`,
          `${own}/${path || 'index'}.txt`,
        ]),
      ].sort(),
    )
    t.strictSame(readdirSync(join(folder, '_hydrant/assets')).sort(), clientFiles)
    t.match(read('docs/a/b c.html'), '<p>the document a/b c</p>')
    t.match(read(`${own}/docs/ü.txt`), '"the document ü"')
    t.match(read('404.html'), 'name="robots" content="noindex"')
  })

  t.test('the head has the policy without what only headers can say, before any script', async (t) => {
    const start = /<head><meta charset="utf-8"\/><meta http-equiv="Content-Security-Policy" content="([^"]+)"\/>/i
    for (const name of ['index.html', 'docs/intro.html', '404.html']) {
      const [, policy = ''] = start.exec(read(name)) ?? []
      t.match(policy, /^script-src ('sha256-[\w+/]+=' )+'strict-dynamic'; object-src 'none'; base-uri 'none'$/, name)
    }
    t.match(read('_headers'), '/*\n  x-content-type-options: nosniff\n')
    t.match(read('_headers'), "  content-security-policy: frame-ancestors 'self'\n")
    t.match(read('_headers'), '/_hydrant/assets/*\n  cache-control: public, max-age=31536000, immutable\n')
  })

  t.test('a page that redirects is a rule for hosts, a document and a line of a navigation', async (t) => {
    t.equal(read('_redirects'), '/away https://other.example/ 302\n/old /docs/intro?a=1&b 301\n')
    t.equal(read(`${own}/old.txt`), '["redirect","/docs/intro?a=1&b"]\n')
    const target = '/docs/intro?a=1&#38;b'
    t.match(read('old.html'), `<meta http-equiv="refresh" content="0; url=${target}"/>`)
    t.match(read('old.html'), `<link rel="canonical" href="https://example.com${target}"/>`)
    t.match(read('old.html'), `<a href="${target}">`)
  })

  t.test('documents contain the public origin, and nothing reports to a server', async (t) => {
    t.match(read('about.html'), '<link rel="canonical" href="https://example.com/about"/>')
    t.match(read('about.html'), '"reports":0')
    t.notMatch(read('about.html'), 'localhost')
  })

  t.test('a page that fails only for the export leaves the folder, and is reported with its place', async (t) => {
    const before = list(folder)
    const failing = exportTo(dir, { origin: 'https://fails.example' })
    const location = { file: 'pages/about.tsx', line: 3 }
    await t.rejects(failing, { code: 'HYD_BUILD_FAILED', problems: [{ code: 'HYD_PRERENDER_FAILED', location }] })
    t.strictSame(list(folder), before)
  })

  t.test('the next export replaces the folder, and one that fails leaves it', async (t) => {
    writeFileSync(join(folder, 'old.html'), '')
    writeSite(dir, {
      ...files,
      'public/404.html': 'my own',
      'public/_headers': '/*\n  x-own: 1\n',
      'public/_redirects': '/from /to',
    })
    const { folder: second } = await exportTo(dir, { out: folder, inFolders: true, base: '/repo' })
    t.equal(second, folder)
    t.notOk(existsSync(join(folder, 'old.html')))
    t.equal(read('404.html'), 'my own')
    t.equal(read('_headers'), '/*\n  x-own: 1\n')
    t.match(
      read('_redirects'),
      '/from /to\n/repo/away https://other.example/ 302\n/repo/old /repo/docs/intro?a=1&b 301\n',
    )
    t.match(read('about/index.html'), 'href="https://example.com/repo/about"')
    t.match(read('about/index.html'), '/repo/_hydrant/assets/')
    t.match(read('docs/intro/index.html'), 'the document intro')
    t.match(read('index.html'), 'href="https://example.com/repo"')
    writeSite(dir, { ...files, 'public/ABOUT/index.html': 'another' })
    const before = list(folder)
    const problem =
      'the export cannot write about/index.html: the file ABOUT/index.html and the page /about would have this name'
    await t.rejects(exportTo(dir, { inFolders: true }), { code: 'HYD_EXPORT_FILE', message: problem })
    t.strictSame(list(folder), before)
    t.strictSame(
      readdirSync(dir).filter((name) => name.includes('export')),
      ['export'],
    )
  })
})

t.test('a folder that no export has written is not replaced', async (t) => {
  const dir = createSite(t, { 'pages/index.tsx': page('home'), 'own/photo.txt': 'mine', 'file.txt': '' })
  for (const [out, problem] of [
    ['own', 'it contains files that no export has written'],
    ['.', 'it contains files that no export has written'],
    ['public/new', 'it is inside public/'],
    ['Pages', 'it is inside Pages/'],
    ['.hydrant/new', 'it is inside .hydrant/'],
    ['file.txt', 'it is a file'],
  ] as const) {
    const folder = join(dir, out)
    await t.rejects(exportTo(dir, { out: folder }), {
      code: 'HYD_EXPORT_FOLDER',
      message: `the export cannot replace ${folder}: ${problem}`,
    })
  }
  t.equal(readFileSync(join(dir, 'own/photo.txt'), 'utf8'), 'mine')
  t.notOk(existsSync(join(dir, '.hydrant')), 'the site is not built')
  mkdirSync(join(dir, 'empty'))
  await exportTo(dir, { out: join(dir, 'empty') })
  t.ok(existsSync(join(dir, 'empty/index.html')))
})

t.test('everything that needs a server is listed with its place, and nothing is written', async (t) => {
  const dir = createSite(t, {
    'hydrant.config.ts': "export default {\n  hosts: ['example.com'],\n}\n",
    'server.ts': '// hooks\nexport default async function server() {}\n',
    'pages/index.tsx': page('home'),
    'pages/dynamic.tsx': '\nexport default function Page() {\n  return <p>now</p>\n}\n',
    'pages/form.tsx': page('form'),
    'pages/form.server.ts': '\n\nexport const action = () => {}\n',
    'pages/forms.tsx': page('forms'),
    'pages/forms.server.ts': 'export const actions = { a() {} }\n',
    'pages/visitor.tsx': page('visitor'),
    'pages/visitor.server.ts': 'export const loadVisitor = () => 1\n',
    'pages/admin/layout.tsx': 'export default function Layout({ children }) {\n  return children\n}\n',
    'pages/admin/layout.server.ts': 'export const guard = () => {}\n',
    'pages/admin/index.tsx': page('admin'),
  })
  const { code, stderr } = await runCli(['export', dir, '--origin', origin])
  t.equal(code, 1)
  const found = [...stderr.matchAll(/Error \[(HYD_(?:EXPORT|PRERENDER)_\w+)\] (.*)\n {2}at (\S+)/g)].map(
    ([, ...parts]) => parts,
  )
  const none = 'needs a server, and an exported site has none'
  const place = (text: string) => text.replace(/:\d+$/, '')
  t.strictSame(
    found.map(([of, message = '', at = '']) => [of, message, place(at)]),
    [
      ['HYD_EXPORT_NEEDS_SERVER', `the option "hosts" ${none}`, 'hydrant.config.ts'],
      ['HYD_EXPORT_NEEDS_SERVER', `the export "guard" ${none}`, 'pages/admin/layout.server.ts:1'],
      [
        'HYD_EXPORT_NOT_PRERENDERED',
        'the page /dynamic is not prerendered, and an exported site has no server that renders it',
        'pages/dynamic.tsx:2',
      ],
      ['HYD_EXPORT_NEEDS_SERVER', `the export "action" ${none}`, 'pages/form.server.ts:3'],
      ['HYD_EXPORT_NEEDS_SERVER', `the export "actions" ${none}`, 'pages/forms.server.ts:1'],
      ['HYD_EXPORT_NEEDS_SERVER', `the export "loadVisitor" ${none}`, 'pages/visitor.server.ts:1'],
      ['HYD_EXPORT_NEEDS_SERVER', `the hooks and routes of server.ts ${none}`, 'server.ts:2'],
    ],
  )
  t.notOk(existsSync(join(dir, 'export')))
})

t.test('a syntax error is not reported as a page without prerender', async (t) => {
  const dir = createSite(t, {
    'pages/index.tsx': 'export const prerender = true\nexport default () => <p\n',
    'pages/other.tsx': 'export default () => <p>other</p>\n',
    'pages/other.server.ts': 'export const prerender = true\n',
  })
  const { code, stderr } = await runCli(['export', dir, '--origin', origin])
  t.equal(code, 1)
  t.strictSame(
    [...stderr.matchAll(/Error \[(HYD_\w+)\]/g)].map(([, name]) => name),
    ['HYD_BUILD_SYNTAX', 'HYD_BUILD_FAILED'],
  )
})

t.test('the origin must be one', async (t) => {
  const dir = createSite(t, {})
  const problem = (wrong: string) => `"--origin" must be an origin such as "https://example.com"; got "${wrong}"`
  await t.rejects(runExport({ dir, flags: { origin: 'https://example.com/shop/' }, note: null, terminal: process }), {
    message:
      '"--origin" must be an origin such as "https://example.com", without a path; got "https://example.com/shop/"',
    fix: 'Pass the path as the base: --origin https://example.com --base /shop.',
  })
  for (const wrong of ['https://example.com/?a', 'ftp://example.com', 'https://a@example.com'])
    await t.rejects(runExport({ dir, flags: { origin: wrong }, note: null, terminal: process }), {
      code: 'HYD_OPTION_INVALID',
      message: problem(wrong),
    })
  t.match(await runCli(['export', dir, '--origin', 'example.com']), {
    code: 2,
    stderr: `Error [HYD_OPTION_INVALID] ${problem('example.com')}\n`,
  })
})

t.test('the encoding and the policy come first in any head', async (t) => {
  const policy = `script-src 'none'; frame-ancestors 'self'; report-uri /r; sandbox; report-to r; img-src "x"`
  const meta = `<meta http-equiv="Content-Security-Policy" content="script-src 'none'; img-src &quot;x&quot;"/>`
  for (const [head, expected] of [
    ['<head></head>', `<head><meta charset="utf-8"/>${meta}</head>`],
    [
      '<head><meta charSet="utf-8"/><title>x</title></head>',
      `<head><meta charSet="utf-8"/>${meta}<title>x</title></head>`,
    ],
    [
      '<head lang="en"><title>x</title></head>',
      `<head lang="en"><meta charset="utf-8"/>${meta}<title>x</title></head>`,
    ],
    [
      '<head><title>x</title><meta charset="utf-8"></head>',
      `<head><meta charset="utf-8">${meta}<title>x</title></head>`,
    ],
  ] as const)
    t.equal(addHeadElements(`<html>${head}<body><header></header>`, policy), `<html>${expected}<body><header></header>`)
  t.equal(addHeadElements('<head></head>', "frame-ancestors 'self'"), '<head><meta charset="utf-8"/></head>')
  t.equal(addHeadElements('<p><header></header>', policy), null)
})
