// The template `tailwind` of `hydrant create`, and the plugin `hydrant/tailwind` with the real library.

import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Test } from 'tap'
import { tailwind } from '../../scripts/tailwind.ts'
import { installDocumentedPackages, linkDocumentedPackages } from '../docs/code/documented-packages.ts'
import { until } from '../until.ts'
import { type CreatedSite, fetchText, testNewSite } from './created-site.ts'

export function testTailwind(t: Test, site: CreatedSite): void {
  testNewSite(t, site)

  t.test('the built stylesheet has only the classes of the site and is minified', async (t) => {
    const client = join(site.dir, '.hydrant/client')
    const files = readdirSync(client).filter((file) => file.endsWith('.css'))
    const css = files.map((file) => readFileSync(join(client, file), 'utf8')).join()
    t.match(css, '.bg-accent{background-color:var(--color-accent)}')
    t.notMatch(css, '.bg-red-500')
  })

  t.test('in development', async (t) => {
    await addMdx(t, site)
    const origin = await site.startDev(t)
    await t.test('an edit adds a new class to the stylesheet', async (t) => testEdits(t, site, origin))
    await t.test('a page in MDX adds its classes to the stylesheet', async (t) => testMdx(t, site, origin))
  })

  t.test('the plugin returns the files and folders that the stylesheet depends on', async (t) => {
    // Without this file, Tailwind also reads hidden folders.
    rmSync(join(site.dir, '.gitignore'))
    type Load = (file: { path: string }) => Promise<{ watchFiles: string[]; watchDirs: string[] }>
    let load: Load | undefined
    const build = {
      initialOptions: { absWorkingDir: site.dir },
      onLoad(_: unknown, callback: Load) {
        load = callback
      },
    }
    // esbuild passes an object with more methods.
    await tailwind().setup(build as never)
    const { watchFiles = [], watchDirs = [] } = (await load?.({ path: join(site.dir, 'pages/layout.css') })) ?? {}
    const files = watchFiles.map((file) => relative(site.dir, file))
    for (const file of ['pages/layout.css', 'pages/books/[id].tsx', 'node_modules/tailwindcss/index.css'])
      t.ok(files.includes(file), file)
    t.strictSame(
      files.filter((file) => file.startsWith('.hydrant')),
      [],
    )
    t.ok(watchDirs.includes(join(site.dir, 'components')))
  })

  t.test('an error of Tailwind names the stylesheet', async (t) => {
    writeFileSync(join(site.dir, 'pages/layout.css'), '@import "tailwindcss";\n.a {\n  @apply no-such-class;\n}\n')
    const { output } = await site.run('node_modules/.bin/hydrant build')
    t.match(output, 'Cannot apply unknown utility class `no-such-class`')
    t.match(output, 'at pages/layout.css')
  })

  t.test('a missing package of Tailwind is an error that says how to install it', async (t) => {
    renameSync(join(site.dir, 'node_modules/@tailwindcss'), join(site.dir, 'node_modules/away'))
    const { output } = await site.run('node_modules/.bin/hydrant build')
    t.match(
      output,
      "Error [HYD_BUILD_TAILWIND] Tailwind CSS cannot be loaded: Cannot find module '@tailwindcss/node'\n",
    )
    t.match(output, 'Try: Run "npm install --save-dev tailwindcss @tailwindcss/node @tailwindcss/oxide".')
  })
}

/** Adds a page in MDX, and the plugin that compiles it. */
async function addMdx(t: Test, site: CreatedSite) {
  await installDocumentedPackages()
  linkDocumentedPackages(site.dir, ['@mdx-js/esbuild'])
  const config = join(site.dir, 'hydrant.config.ts')
  const before = readFileSync(config, 'utf8')
  t.teardown(() => writeFileSync(config, before))
  const mdx = "import mdx from '@mdx-js/esbuild'\n"
  writeFileSync(config, mdx + before.replace('tailwind()', 'tailwind(), mdx()'))
  const page = join(site.dir, 'pages/notes.mdx')
  t.teardown(() => rmSync(page))
  writeFileSync(page, '# Notes\n\n<p className="mt-[21px]">Note</p>\n')
}

async function testEdits(t: Test, site: CreatedSite, origin: string) {
  const before = await fetchStyles(`${origin}/`)
  t.match(before, '.bg-accent')
  t.notMatch(before, '.mt-\\[17px\\]')
  const hasMargin = (px: number) => until(async () => (await fetchStyles(`${origin}/`)).includes(`.mt-\\[${px}px\\]`))
  site.edit('pages/index.tsx', 'mb-4 text-3xl', 'mt-[17px] text-3xl')
  await hasMargin(17)
  writeFileSync(join(site.dir, 'components/new.tsx'), 'export const New = () => <p className="mt-[18px]">New</p>\n')
  await hasMargin(18)
  site.edit('components/new.tsx', 'mt-[18px]', 'mt-[19px]')
  await hasMargin(19)
}

async function testMdx(t: Test, site: CreatedSite, origin: string) {
  t.match(await fetchText(`${origin}/notes`), '<p class="mt-[21px]">Note</p>')
  t.match(await fetchStyles(`${origin}/notes`), '.mt-\\[21px\\]')
  site.edit('pages/notes.mdx', '21px', '22px')
  await until(async () => (await fetchStyles(`${origin}/notes`)).includes('.mt-\\[22px\\]'))
}

/** Returns the stylesheets of a page. */
async function fetchStyles(url: string): Promise<string> {
  const html = await fetchText(url)
  const links = [...html.matchAll(/<link rel="stylesheet"[^>]* href="([^"]+)"/g)].map(([, path = '']) => path)
  return (await Promise.all(links.map((link) => fetchText(new URL(link, url).href)))).join('\n')
}
