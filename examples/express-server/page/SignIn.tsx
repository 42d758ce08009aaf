export function SignIn({ failed }: { readonly failed: boolean }) {
  return (
    <form method="post" action="/login">
      {failed && <p role="alert">User or password is wrong.</p>}
      <label>
        User <input name="user" autoComplete="username" required />
      </label>
      <label>
        Password <input name="password" type="password" autoComplete="current-password" required />
      </label>
      <button>Sign in</button>
    </form>
  )
}
