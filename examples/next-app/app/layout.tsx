import type { ReactNode } from 'react'

export const metadata = { title: 'Stagepass on Next.js', icons: 'data:,' }

export default function Layout({ children }: { readonly children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <main>{children}</main>
      </body>
    </html>
  )
}
