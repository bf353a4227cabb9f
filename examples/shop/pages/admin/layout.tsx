import { href, type LayoutProps } from 'hydrant/react'

export default function AdminLayout({ children }: LayoutProps<'/admin'>) {
  return (
    <>
      <form method="post" action={href('/admin/sign-out')}>
        <button type="submit" className="underline">
          Sign out
        </button>
      </form>
      {children}
    </>
  )
}
