import { type RefObject, useEffect, useRef } from 'react'

/**
 * Returns the ref of an input for a search. After Back, or a link to another search, the input would have the text of the
 * earlier one: it gets that of the URL. What the visitor has typed since stays.
 */
export function useQueryInput(q: string): RefObject<HTMLInputElement | null> {
  const input = useRef<HTMLInputElement>(null)
  const shown = useRef(q)
  useEffect(() => {
    if (input.current?.value.trim() === shown.current) input.current.value = q
    shown.current = q
  }, [q])
  return input
}
