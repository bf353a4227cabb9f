import { href } from 'hydrant/react'
import { PageHead } from '../../components/page-head.tsx'
import { chapters } from '../../content/chapters.ts'
import classes from './index.module.css'

export default function Docs() {
  return (
    <>
      <PageHead title="Documentation" description="The documentation of Hydrant, chapter by chapter." />
      <h1>Documentation</h1>
      <p className="lead">
        Thirteen short chapters. If you are new here, read <a href={href('/start')}>Start</a> first. To look something
        up, use the tables.
      </p>
      <dl className={classes.chapters}>
        {chapters.map(({ path, title, about }) => (
          <div key={path}>
            <dt>
              <a href={path}>{title}</a>
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
      <section aria-labelledby="words">
        <h2 id="words">Words</h2>
        <dl className={classes.words}>
          {WORDS.map(([word, meaning]) => (
            <div key={word}>
              <dt>{word}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  )
}

const WORDS = [
  ['page', 'A file in pages/ that handles a URL.'],
  ['layout', 'A file that wraps the pages of its folder.'],
  ['load', 'The function of a .server file that fetches the data of its page or layout.'],
  ['action', 'The function of a .server file that handles requests which change something, such as forms.'],
  ['deferred', 'A promise inside the data that load returns. The page does not wait for it.'],
  ['document', 'The HTML that a browser gets for a page.'],
  ['shell', 'The part of the document that is sent first, because it does not wait for deferred data.'],
  ['stream', 'The rest of the document, sent as it becomes ready.'],
  ['hydrate', 'What React does in the browser to make the document’s HTML interactive.'],
  ['refusal', 'An error with a 4xx status that your code throws for the visitor to read.'],
  ['failure', 'Any other error. It is unexpected, and visitors see nothing of the error itself.'],
  ['digest', 'The code of a failure: its fingerprint and its occurrence.'],
  ['fallback', 'The text that a visitor sees in place of a failed page or part.'],
  ['build', 'The files that hydrant build writes and hydrant start serves.'],
  ['base', 'The path under which a site is mounted.'],
] as const
