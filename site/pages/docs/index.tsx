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
        Twelve short chapters. Who is new here reads <a href={href('/start')}>Start</a> first; who looks something up
        finds it in the tables.
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
  ['page', 'A file in pages/ that answers a URL.'],
  ['layout', 'A file that surrounds the pages of its folder.'],
  ['load', 'The function of a .server file that fetches what its page or layout shows.'],
  ['action', 'The function of a .server file that answers what is sent to its page, such as a form.'],
  ['deferred', 'A promise inside what load returns. The page does not wait for it.'],
  ['document', 'The HTML that a browser gets for a page.'],
  ['shell', 'The part of the document that waits for nothing; it is sent first.'],
  ['stream', 'The rest of the document, sent as it becomes ready.'],
  ['hydrate', 'What React does in the browser to make the document’s HTML interactive.'],
  ['refusal', 'An error with a 4xx status, thrown on purpose and meant for the visitor.'],
  ['failure', 'Any other error. Nobody meant it, and nothing of it is shown.'],
  ['digest', 'The code of a failure: its fingerprint and its occurrence.'],
  ['fallback', 'What a visitor sees of a failure.'],
  ['build', 'What hydrant build writes and hydrant start serves.'],
  ['base', 'The path under which a site is mounted.'],
] as const
