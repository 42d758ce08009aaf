"""A server in Python with a login. `grant` is all that Stagepass needs of it."""

import hmac
import os

from flask import Flask, jsonify, request, session

app = Flask(__name__, static_folder=os.environ["PAGE"], static_url_path="/")
app.secret_key = os.environ["SESSION_SECRET"]
app.config.update(SESSION_COOKIE_SECURE=True, SESSION_COOKIE_SAMESITE="Lax")

# Your own users. These are examples.
PASSWORDS = {"ada": "engine", "grace": "compiler"}


@app.get("/")
def page():
    return app.send_static_file("index.html")


@app.before_request
def check_origin():
    """Another site could sign its visitors in as someone else. Browsers send Origin with every POST."""
    if request.method == "POST" and request.headers.get("Origin") != f"https://{request.host}":
        return jsonify(user=None), 403


@app.post("/login")
def login():
    user = request.form.get("user", "")
    password = request.form.get("password", "").encode()
    if not hmac.compare_digest(PASSWORDS.get(user, "").encode(), password) or user not in PASSWORDS:
        return jsonify(user=None), 401
    session.clear()
    session["user"] = user
    return jsonify(user=user)


@app.post("/logout")
def logout():
    session.clear()
    return jsonify(user=None)


@app.get("/me")
def me():
    return jsonify(user=session.get("user"))


@app.get("/internal/voice-grant")
def grant():
    """Asked by Stagepass, with the cookie of the page. The proxy hides this path."""
    user = session.get("user")
    if user is None:
        return jsonify(user=None), 401
    return jsonify(user=user, products=["stt"], meetings={"ownership": "mine"})


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]), threaded=True)
