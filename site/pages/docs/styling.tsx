import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'
import { Table } from '../../components/table.tsx'

export default function Styling() {
  return (
    <>
      <PageHead title="Styles and assets" description="CSS, CSS modules, imported files and the public folder." />
      <h1>Styles and assets</h1>
      <p className="lead">Styles and files are imported by the page or layout that uses them.</p>
      <Section id="css" title="CSS">
        <p>
          An imported stylesheet belongs to that page or layout. The document links it in its head, so a page is never
          shown without its styles.
        </p>
        <Code title="pages/layout.tsx">{CSS}</Code>
        <p>
          A file that ends in <code>.module.css</code> gives its classes names of their own, which cannot collide with
          those of another file. Its default export maps the names you wrote to the names that were made.
        </p>
        <Code title="components/card.tsx">{MODULE}</Code>
      </Section>
      <Section id="assets" title="Images, fonts and other files">
        <p>
          Importing a file gives its URL. The name in that URL holds a hash of the content, so a browser may keep the
          file for ever, and does.
        </p>
        <Code title="components/logo.tsx">{ASSET}</Code>
      </Section>
      <Section id="public" title="public/">
        <p>
          What lies in <code>public/</code> is served as it is, from the root of the site. It is the place for files
          whose name is given: <code>robots.txt</code>, <code>favicon.svg</code>, a proof of ownership.
        </p>
        <Table
          caption="Imported files and public files"
          head={['', 'imported', 'public/']}
          rows={[
            ['URL', '/_hydrant/assets/…, hashed', 'the file’s own path'],
            ['cached', 'for ever (immutable)', 'asked for again, answered 304 while unchanged'],
            ['missing file', 'an error when building', '404 when asked for'],
          ]}
        />
      </Section>
      <Section id="types" title="Types for TypeScript">
        <p>
          One line tells TypeScript what such imports are. It declares stylesheets, CSS modules, images, fonts and the
          other assets:
        </p>
        <Code title="tsconfig.json">{TYPES}</Code>
      </Section>
    </>
  )
}

const CSS = `
import './layout.css'
`

const MODULE = `
import type { ReactNode } from 'react'
import classes from './card.module.css'

export function Card({ children }: { children: ReactNode }) {
  return <div className={classes.card}>{children}</div>
}
`

const ASSET = `
import logo from './logo.png'

export function Logo() {
  return <img src={logo} alt="Our shop" width="96" height="32" />
}
`

const TYPES = `
{
  "compilerOptions": {
    "types": ["node", "hydrant/assets"]
  }
}
`
