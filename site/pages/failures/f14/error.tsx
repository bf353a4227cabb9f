import type { ReactNode } from 'react'

export default function ErrorPage(): ReactNode {
  throw new Error('SECRET-MARKER f14: the failure page fails as well')
}
