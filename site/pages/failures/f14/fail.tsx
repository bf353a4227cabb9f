import type { ReactNode } from 'react'

export default function Fail(): ReactNode {
  throw new Error('SECRET-MARKER f14: the page fails first')
}
