import { href } from 'hydrant/react'
import { PageHead } from '../../components/page-head.tsx'
import { groups, type Position, positions } from '../../content/positions.ts'
import classes from './index.module.css'

export const prerender = true

export default function Failures() {
  return (
    <>
      <PageHead
        title="Failures to try"
        description="One page for each place where a page can fail, and what happens."
      />
      <h1>Failures to try</h1>
      <p className="lead">
        A page can fail in many places, and the place decides what a visitor gets. Each of these pages first describes
        what will happen. Then you can cause the failure and compare.
      </p>
      <p>
        Keep the server’s log open meanwhile: it contains every digest that you see in the browser, once. The number on
        the right is the status that a browser gets.
      </p>
      {groups.map(({ id, title }) => (
        <section key={id} className={classes.group} aria-labelledby={id}>
          <h2 id={id}>{title}</h2>
          <PositionList listed={positions.filter(({ group }) => group === id)} />
        </section>
      ))}
    </>
  )
}

function PositionList({ listed }: { listed: readonly Position[] }) {
  return (
    <ul className={classes.list}>
      {listed.map(({ id, code, title, status }) => (
        <li key={id}>
          <a href={href('/failures/[position]', { position: id })}>
            <span className={classes.code}>{code}</span>
            <span className={classes.title}>{title}</span>
            <span className={classes.status}>{status}</span>
          </a>
        </li>
      ))}
    </ul>
  )
}
