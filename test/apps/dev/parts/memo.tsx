import { memo } from 'react'

export const Memo = memo(() => <b id="memo">memo</b>)
