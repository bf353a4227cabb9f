import { useEffect, useState } from 'react'
import classes from './failure.module.css'

/** Shows the digest, with a copy button if the browser allows a page to copy. */
export function CopyDigest({ digest }: { digest: string }) {
  const [state, setState] = useState<'none' | 'ready' | 'copied'>('none')
  useEffect(() => {
    if (navigator.clipboard !== undefined) setState('ready')
  }, [])
  async function copy() {
    await navigator.clipboard.writeText(digest)
    setState('copied')
  }
  return (
    <p className={classes.digest}>
      <code>{digest}</code>{' '}
      {state !== 'none' && (
        <button type="button" className="button button-quiet button-small" onClick={() => void copy().catch(() => {})}>
          {state === 'copied' ? 'Copied' : 'Copy'}
          <span className="visually-hidden"> the digest</span>
        </button>
      )}
    </p>
  )
}
