import type { ReactNode } from 'react'

const PATHS = {
  play: <path d="M6 4.5v11l9-5.5z" fill="currentColor" stroke="none" />,
  stop: <rect x="5.5" y="5.5" width="9" height="9" rx="1.5" fill="currentColor" stroke="none" />,
  microphone: (
    <>
      <rect x="7.5" y="2.5" width="5" height="9" rx="2.5" />
      <path d="M4.5 9.5a5.5 5.5 0 0 0 11 0M10 15v2.5" />
    </>
  ),
  muted: (
    <>
      <path d="M12.5 8V5a2.5 2.5 0 0 0-4.6-1.350M7.5 7.5V9a2.5 2.5 0 0 0 3.5 2.300M4.5 9.5a5.5 5.5 0 0 0 8.5 4.600M10 15v2.5M3.5 3.5l13 13" />
    </>
  ),
  sound: (
    <>
      <path d="M4 8v4h2.5L10 15V5L6.5 8z" />
      <path d="M12.5 7.5a3.5 3.5 0 0 1 0 5M14.8 5.200a6.8 6.8 0 0 1 0 9.6" />
    </>
  ),
  silent: (
    <>
      <path d="M4 8v4h2.5L10 15V5L6.5 8z" />
      <path d="m13 8 4 4m0-4-4 4" />
    </>
  ),
  close: <path d="m5 5 10 10M15 5 5 15" />,
  refresh: <path d="M15.5 8A6 6 0 1 0 16 11M16 4v4h-4" />,
  wire: <path d="M3 10h3.5l2-5 3 10 2-5H17" />,
  search: (
    <>
      <circle cx="9" cy="9" r="5" />
      <path d="m13 13 4 4" />
    </>
  ),
  sun: (
    <>
      <circle cx="10" cy="10" r="3.5" />
      <path d="M10 2v1.5M10 16.500v1.500M2 10h1.500M16.5 10H18M4.3 4.300l1.1 1.100M14.6 14.600l1.1 1.100M4.3 15.700l1.1-1.100M14.6 5.400l1.1-1.1" />
    </>
  ),
  moon: <path d="M16 11.500A6.5 6.5 0 1 1 8.5 4a5.2 5.2 0 0 0 7.5 7.500z" />,
} satisfies Record<string, ReactNode>

/** Drawn for sighted people alone: the control around it has the name. */
export function Icon({
  name,
  size = 18,
}: {
  readonly name: keyof typeof PATHS
  readonly size?: number
}): ReactNode {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {PATHS[name]}
    </svg>
  )
}
