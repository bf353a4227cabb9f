import { href, type LayoutProps } from 'hydrant/react'
import classes from './layout.module.css'

/** Shows a link back above every page here, including pages that have failed. */
export default function FailuresLayout({ children, url }: LayoutProps<'/failures'>) {
  const [, position, attempt] = url.pathname.slice(href('/failures').length).split('/')
  return (
    <>
      {position && (
        <nav className={classes.trail} aria-label="Failures">
          <a href={href('/failures')}>All failures</a>
          {attempt && <a href={href('/failures/[position]', { position })}>What this one shows</a>}
        </nav>
      )}
      {children}
    </>
  )
}
