import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'
import { Table } from '../../components/table.tsx'

export default function Styling() {
  return (
    <>
      <PageHead title="Styles and assets" description="CSS, CSS modules, imported files and the public folder." />
      <h1>Styles and assets</h1>
      <p className="lead">A page or layout imports the styles and files that it uses.</p>
      <Section id="css" title="CSS">
        <p>
          An imported stylesheet belongs to that page or layout. The document links it in its head, so the browser never
          shows a page without its styles.
        </p>
        <Code title="pages/layout.tsx">{CSS}</Code>
        <p>
          The class names in a file that ends in <code>.module.css</code> are local to that file, so they cannot collide
          with those of another file. Its default export maps the names that you wrote to the generated names.
        </p>
        <Code title="components/card.tsx">{MODULE}</Code>
      </Section>
      <Section id="tailwind" title="Tailwind CSS">
        <p>
          <code>npx hydrant create my-site --template tailwind</code> creates a site with Tailwind CSS 4. To add it to a
          site, install it and use the esbuild plugin <code>hydrant/tailwind</code>:
        </p>
        <Code title="Terminal" language="sh">
          {TAILWIND_INSTALL}
        </Code>
        <Code title="hydrant.config.ts">{TAILWIND}</Code>
        <p>
          Then write <code>{'@import "tailwindcss";'}</code> into the stylesheet of the root layout. An edit that uses a
          new class updates the stylesheet. <code>.module.css</code> files are not compiled with Tailwind.
        </p>
      </Section>
      <Section id="compilers" title="Sass, PostCSS and Lightning CSS">
        <p>
          <code>hydrant/styles</code> takes a function that compiles one stylesheet, and applies it in the build and in
          development, also to CSS modules. <code>docs/stylesheets.md</code> in the package has the configuration for
          PostCSS and Lightning CSS. This one compiles Sass, after <code>npm install --save-dev sass</code>:
        </p>
        <Code title="hydrant.config.ts">{SASS}</Code>
        <p>
          In development, an edit of a file that <code>dependencies</code> names updates the page.
        </p>
      </Section>
      <Section id="assets" title="Images, fonts and other files">
        <p>
          When you import a file, you get its URL. The URL contains a hash of the content, so browsers cache the file
          forever.
        </p>
        <Code title="components/logo.tsx">{ASSET}</Code>
        <p>
          With <code>?image</code> after the name, the import of a photo also has its width and height, and with the
          package <code>sharp</code> the build makes copies in AVIF and WebP. <code>Image</code> of{' '}
          <code>hydrant/react</code> renders them: <code>docs/images.md</code> in the package describes it.
        </p>
      </Section>
      <Section id="public" title="public/">
        <p>
          Hydrant serves the files in <code>public/</code> unchanged, from the root of the site. Use it for files with a
          fixed name: <code>robots.txt</code>, <code>favicon.svg</code>, a file that proves domain ownership.
        </p>
        <Table
          caption="Imported files and public files"
          head={['', 'imported', 'public/']}
          rows={[
            ['URL', '/_hydrant/assets/…, hashed', 'the file’s own path'],
            ['cached', 'forever (immutable)', 'revalidated; 304 if unchanged'],
            ['missing file', 'a build error', '404'],
          ]}
        />
      </Section>
      <Section id="types" title="Types for TypeScript">
        <p>
          <code>hydrant/tsconfig.json</code> declares the types of such imports: stylesheets, CSS modules, images, fonts
          and other assets. If your configuration sets <code>types</code> itself, add <code>hydrant/assets</code> to
          that list.
        </p>
        <Code title="tsconfig.json">{TYPES}</Code>
      </Section>
    </>
  )
}

const CSS = `
import type { LayoutProps } from 'hydrant/react'
import './layout.css'

export default function RootLayout({ children }: LayoutProps<'/'>) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}
`

const MODULE = `
import type { ReactNode } from 'react'
import classes from './card.module.css'

export function Card({ children }: { children: ReactNode }) {
  return <div className={classes.card}>{children}</div>
}
`

const TAILWIND_INSTALL = `
npm install --save-dev tailwindcss @tailwindcss/node @tailwindcss/oxide
`

const TAILWIND = `
import { defineConfig } from 'hydrant'
import { tailwind } from 'hydrant/tailwind'

export default defineConfig({
  esbuild: { plugins: [tailwind()] },
})
`

const SASS = `
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'hydrant'
import { stylesheets } from 'hydrant/styles'

export default defineConfig({
  esbuild: async () => {
    const { compileAsync } = await import('sass')
    const sass = stylesheets({
      extensions: ['.scss'],
      async compile({ path }) {
        const { css, loadedUrls } = await compileAsync(path)
        return { css, dependencies: loadedUrls.map((url) => fileURLToPath(url)) }
      },
    })
    return { plugins: [sass] }
  },
})
`

const ASSET = `
import logo from './logo.png'

export function Logo() {
  return <img src={logo} alt="Our shop" width="96" height="32" />
}
`

const TYPES = `
{ "extends": "hydrant/tsconfig.json" }
`
