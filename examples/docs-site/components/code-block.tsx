import { type ComponentProps, useRef, useState } from 'react'

/** Visitors without a mouse need the focus to scroll a long line, and screen readers a name for it. */
const SCROLLABLE = { role: 'group', 'aria-label': 'Code', tabIndex: 0 }

export function CodeBlock(props: ComponentProps<'pre'>) {
  const pre = useRef<HTMLPreElement>(null)
  const [isCopied, setCopied] = useState(false)

  async function copy() {
    await navigator.clipboard.writeText(pre.current?.textContent ?? '')
    setCopied(true)
  }

  return (
    <div className="code">
      <pre {...props} {...SCROLLABLE} ref={pre} />
      <button type="button" className="needs-script" onClick={copy} onBlur={() => setCopied(false)}>
        Copy
      </button>
      <span role="status">{isCopied && 'Copied'}</span>
    </div>
  )
}
