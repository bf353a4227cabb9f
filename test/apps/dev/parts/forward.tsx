import { forwardRef } from 'react'

export const Field = forwardRef<HTMLElement>((_props, ref) => (
  <b id="forward" ref={ref}>
    forward
  </b>
))
