import { href, type PageProps } from 'hydrant/react'
import { PageHead } from '../../components/page-head.tsx'
import classes from './index.module.css'

export default function Docs({ data }: PageProps<'/docs'>) {
  return (
    <>
      <PageHead title="Documentation" description="All documents of Hydrant: guide, examples, reference, decisions." />
      <h1>Documentation</h1>
      <p className="lead">
        If you are new here, read <a href={href('/start')}>Get started</a> and then the{' '}
        <a href={href('/docs/[...path]', { path: 'guide' })}>guide</a>. <code>npx hydrant docs</code> prints the same
        documents in a terminal.
      </p>
      {data.groups.map(({ title, documents }, index) => (
        <section key={title} aria-labelledby={`group-${index}`}>
          <h2 id={`group-${index}`}>{title}</h2>
          <dl className={classes.documents}>
            {documents.map(({ href, title, about }) => (
              <div key={href}>
                <dt>
                  <a href={href}>{title}</a>
                </dt>
                <dd>{about}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </>
  )
}
