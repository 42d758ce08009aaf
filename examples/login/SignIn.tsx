export function SignIn() {
  return (
    <form method="post" action="/login">
      <p>For development: a click signs you in, without a password.</p>
      <button name="user" value="ada">
        Sign in as Ada
      </button>{' '}
      <button name="user" value="ben">
        Sign in as Ben
      </button>
    </form>
  )
}
