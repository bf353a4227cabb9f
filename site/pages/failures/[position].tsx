import type { PageProps } from 'hydrant/react'
import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import type { Position, Sights } from '../../content/positions.ts'
import classes from './position.module.css'

export default function PositionPage({ data }: PageProps<'/failures/[position]'>) {
  const { position, origin } = data
  const [first] = position.tries
  return (
    <article className={classes.position}>
      <PageHead title={`${position.code}: ${position.title}`} description={position.what} />
      <p className={classes.code}>{position.code}</p>
      <h1>{position.title}</h1>
      <p className="lead">{position.what}</p>
      <Tries tries={position.tries} />
      <Code title={position.source.file}>{position.source.code}</Code>
      <h2>What you should see</h2>
      <SightList sees={position.sees} />
      <h2>What the log should contain</h2>
      <p>{position.log}</p>
      {first && (
        <>
          <h2>The same from a terminal</h2>
          <Code title="Terminal" language="sh">
            {commands(`${origin}${first.href}`)}
          </Code>
        </>
      )}
    </article>
  )
}

function Tries({ tries }: Pick<Position, 'tries'>) {
  if (tries.length > 2) return <ManyTries tries={tries} />
  return (
    <div className="button-row">
      {tries.map(({ href, label }, index) => (
        <a key={href} className={index === 0 ? 'button' : 'button button-quiet'} href={href} data-hydrant-reload>
          {label}
        </a>
      ))}
    </div>
  )
}

function ManyTries({ tries }: Pick<Position, 'tries'>) {
  return (
    <ul className={classes.tries}>
      {tries.map(({ href, label }) => (
        <li key={href}>
          <span>{label}</span>
          <a href={href} data-hydrant-reload aria-label={`${label}, thrown by load`}>
            load
          </a>
          <a href={`${href}?at=render`} data-hydrant-reload aria-label={`${label}, thrown while rendering`}>
            render
          </a>
          <a href={`${href}?at=deferred`} data-hydrant-reload aria-label={`${label}, by a deferred promise`}>
            deferred
          </a>
        </li>
      ))}
    </ul>
  )
}

const CLIENTS: readonly { key: keyof Sights; name: string }[] = [
  { key: 'J', name: 'A browser' },
  { key: 'N', name: 'A browser without JavaScript' },
  { key: 'H', name: 'curl' },
  { key: 'A', name: 'A script that requests JSON' },
  { key: 'B', name: 'A crawler' },
]

function SightList({ sees }: Pick<Position, 'sees'>) {
  return (
    <dl className={classes.sights}>
      {CLIENTS.map(({ key, name }) => (
        <div key={key}>
          <dt>
            <span>{key}</span> {name}
          </dt>
          <dd>{sees[key]}</dd>
        </div>
      ))}
    </dl>
  )
}

function commands(address: string): string {
  return `
curl -i ${address}
curl -i -H 'Accept: application/json' ${address}
curl -i -A Googlebot ${address}
`
}
