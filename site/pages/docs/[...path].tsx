import { href, type PageProps } from 'hydrant/react'
import '../../components/document.css'
import { PageHead } from '../../components/page-head.tsx'
import classes from './document.module.css'

type Data = PageProps<'/docs/[...path]'>['data']

/** With more headings than this, the overview is closed at first. */
const MOST_OPEN = 8

export default function Document({ data, params }: PageProps<'/docs/[...path]'>) {
  const live = LIVE[params.path]
  return (
    <>
      <PageHead title={data.title} description={data.description} />
      <h1 id={data.id} dangerouslySetInnerHTML={{ __html: data.heading }} />
      {live && (
        <p className={classes.live}>
          Live on this site: <a href={live.to}>{live.text}</a>
        </p>
      )}
      <Overview key={params.path} headings={data.headings} />
      <div className="document" dangerouslySetInnerHTML={{ __html: data.html }} />
      {data.source && <Source {...data.source} />}
      <Neighbors {...data.neighbors} />
    </>
  )
}

/** Demonstrations of what a document describes, by its path. */
const LIVE: Readonly<Record<string, { to: string; text: string }>> = {
  failures: { to: href('/failures'), text: 'a page for each place where a page can fail' },
  'errors-command': { to: href('/failures'), text: 'failures, each with a digest to look up' },
  console: { to: href('/failures'), text: 'failures, which the console shows at once' },
  http: { to: href('/docs/scripts'), text: 'its pages from curl, wget and Python' },
  navigation: { to: href('/notes'), text: 'notes, with a list, a search and a page for each note' },
  submissions: { to: href('/notes'), text: 'notes, which are added and deleted in place' },
  'guide/forms': { to: href('/notes'), text: 'notes, with a form that is checked' },
  'guide/search': { to: href('/notes', {}, { search: { q: 'tea' } }), text: 'the search of the notes' },
}

function Overview({ headings }: Pick<Data, 'headings'>) {
  if (headings.length < 2) return null
  return (
    <nav aria-label="On this page" className={classes.overview}>
      <details open={headings.length <= MOST_OPEN}>
        <summary>On this page</summary>
        <ul>
          {headings.map(({ id, text }) => (
            <li key={id}>
              <a href={`#${id}`}>{text}</a>
            </li>
          ))}
        </ul>
      </details>
    </nav>
  )
}

function Source({ file, href }: NonNullable<Data['source']>) {
  return (
    <p className={classes.source}>
      {href === null ? 'Source: ' : <a href={href}>Edit this page</a>} <code>{file}</code>
    </p>
  )
}

function Neighbors({ previous, next }: Data['neighbors']) {
  if (!previous && !next) return null
  return (
    <nav className={classes.neighbors} aria-label="Neighboring documents">
      {previous && (
        <a href={previous.href} rel="prev">
          <span>Before</span> {previous.title}
        </a>
      )}
      {next && (
        <a className={classes.next} href={next.href} rel="next">
          <span>Next</span> {next.title}
        </a>
      )}
    </nav>
  )
}
