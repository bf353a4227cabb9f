import type { LayoutProps } from 'hydrant/react'
import { lazy } from 'react'

const Ad = lazy(() => import('../../../components/plain-ad.tsx'))

export default function Layout({ children }: LayoutProps) {
  return (
    <div>
      <Ad />
      {children}
    </div>
  )
}
