#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""oidc_test.py -- tokens of other issuers: which are accepted, and whose they are.
usage: oidc_test.py LISTWATCH"""

import hmac
import http.client
import json
import os
import ssl
import subprocess
import time

from issuer import Issuer, base64url, token_of
from serving import Server, run_tests

WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews"


def indented(text, spaces):
    return "".join(" " * spaces + line + "\n" for line in text.splitlines())


def configuration(*entries, more="", version="v1"):
    jwt = "jwt:\n" + "".join(entries) if entries else "jwt: []\n"
    return (f"apiVersion: apiserver.config.k8s.io/{version}\nkind: AuthenticationConfiguration\n"
            + jwt + more)


def entry(issuer, mappings="  claimMappings:\n    username: {claim: sub, prefix: 'x:'}\n",
          audiences="[kubernetes]", more=""):
    return (f"- issuer:\n    url: {issuer.url}\n    audiences: {audiences}\n{more}"
            "    certificateAuthority: |\n" + indented(issuer.ca(), 6) + mappings)


class TrustingServer(Server):
    def __init__(self, program, options=()):
        super().__init__(program, memory=True, options=["--verbose"] + list(options))
        self.plain = list(self.command)
        self.file = self.folder + "/authentication.yaml"

    def start_with(self, text, options=()):
        self.write(text)
        self.command = self.plain + ["--authentication-config", self.file] + list(options)
        return self.start()

    def write(self, text):
        with open(self.file + ".new", "w") as file:
            file.write(text)
        os.rename(self.file + ".new", self.file)

    def does_not_start_with(self, text, options=()):
        self.write(text)
        done = subprocess.run(self.plain + ["--authentication-config", self.file,
                                            "--listen", "127.0.0.1:0"] + list(options),
                              capture_output=True, text=True, timeout=60)
        assert done.returncode != 0, done
        return done.stderr

    def tls(self, method, path, token=None, body=None, headers=None):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection("127.0.0.1", self.tls_port, timeout=30,
                                                 context=context)
        headers = dict(headers or {})
        if token:
            headers["Authorization"] = "Bearer " + token
        if body:
            headers["Content-Type"] = "application/json"
        connection.request(method, path, json.dumps(body) if body else None, headers)
        reply = connection.getresponse()
        answer = reply.read()
        connection.close()
        return reply.status, answer

    def who(self, token):
        """The user of |token|; None: 401."""
        status, answer = self.tls("POST", WHO, token, {
            "apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"})
        if status == 401:
            assert json.loads(answer)["message"] == "Unauthorized", answer
            return None
        assert status == 201, (status, answer)
        return json.loads(answer)["status"]["userInfo"]

    def await_user(self, token, timeout=30):
        """Asks until the token is accepted: its issuer's keys are fetched in the background."""
        end = time.monotonic() + timeout
        while True:
            user = self.who(token)
            if user or time.monotonic() > end:
                assert user, "not accepted: " + self.told()
                return user

    def told(self):
        with open(self.folder + "/server.log") as log:
            return log.read()

    def await_log(self, wanted, timeout=30):
        end = time.monotonic() + timeout
        while wanted not in self.told():
            assert time.monotonic() < end, f"no {wanted!r} in " + self.told()
            time.sleep(0.02)  # between two looks


def with_server(test):
    """Runs |test| with a server and an issuer that has one key."""
    def run(program):
        issuer, server = Issuer().start(), TrustingServer(program)
        try:
            issuer.keys = [issuer.new_key("first")]
            return test(server, issuer)
        finally:
            server.remove()
            issuer.close()
    run.__name__ = test.__name__
    return run


@with_server
def a_token_of_a_trusted_issuer_is_its_user(server, issuer):
    server.start_with(configuration(entry(issuer, """  claimMappings:
    username: {claim: sub, prefix: "x:"}
    groups: {claim: groups, prefix: "g:"}
    uid: {claim: id}
    extra: [{key: example.com/tenant, valueExpression: claims.tenant}]
""")))
    token = issuer.token(groups=["a", "b"], id="u-1", tenant="blue", jti="t-1")
    user = server.await_user(token)
    assert user == {"username": "x:ann", "uid": "u-1",
                    "groups": ["g:a", "g:b", "system:authenticated"],
                    "extra": {"authentication.kubernetes.io/credential-id": ["JTI=t-1"],
                              "example.com/tenant": ["blue"]}}, user
    status, answer = server.tls("GET", "/api/v1/namespaces/default/configmaps", token)
    assert status == 403 and b'User \\"x:ann\\" cannot list' in answer, (status, answer)


@with_server
def all_algorithms_are_accepted(server, issuer):
    algs = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"]
    issuer.keys = [issuer.new_key(alg, alg) for alg in algs]
    server.start_with(configuration(entry(issuer)))
    for key in issuer.keys:
        assert server.await_user(issuer.token(key))["username"] == "x:ann", key.alg


@with_server
def forged_and_unsuitable_tokens_are_refused(server, issuer):
    key, stranger = issuer.keys[0], issuer.new_key("stranger")
    short, curve = issuer.new_key("short", bits=1024), issuer.new_key("curve", "ES384")
    issuer.keys += [short, curve]
    server.start_with(configuration(entry(issuer)))
    server.await_user(issuer.token())
    claims, now = issuer.claims(), int(time.time())
    signed = token_of(claims, key, {"alg": "HS256"}, signature=b"").rstrip(".")
    secret = hmac.new(key.public(), signed.encode(), "sha256").digest()
    cases = {
        "alg none": token_of(claims, header={"alg": "none", "kid": "first"}, signature=b""),
        "HS256 with the public key": signed + "." + base64url(secret),
        "short RSA key": issuer.token(short),
        "another key with the same name": token_of(claims, stranger, {"kid": "first"}),
        "the algorithm of another curve": token_of(claims, curve, {"alg": "ES256"},
                                                   signature=curve.sign(b"x")),
        "RSA algorithm for an EC key": token_of(claims, curve, {"alg": "RS256"}, signature=b"x"),
        "no expiration": issuer.token(exp=None),
        "expired": issuer.token(exp=now - 1),
        "in the future": issuer.token(nbf=now + 120),
        "another audience": issuer.token(aud="other"),
        "another issuer": issuer.token(iss="https://other.example"),
        "no subject": issuer.token(sub=None),
        "repeated claims": token_of(json.dumps(claims)[:-1] + ',"sub":"root"}', key),
        "critical header": token_of(claims, key, {"crit": ["b64"], "b64": True}),
        "changed claims": ".".join([issuer.token().split(".")[0],
                                    base64url(json.dumps(issuer.claims(sub="root")).encode()),
                                    issuer.token().split(".")[2]]),
    }
    for name, token in cases.items():
        assert server.who(token) is None, name
    assert server.who(issuer.token(nbf=now + 30)), "clocks may differ by a minute"
    assert "was refused: " in server.told()


@with_server
def a_rotated_key_is_fetched_when_it_is_first_used(server, issuer):
    server.start_with(configuration(entry(issuer)))
    old = issuer.token()
    server.await_user(old)
    issuer.keys = [issuer.new_key("second", "ES256")]
    # Fetched at once or ten seconds after the fetch before it.
    assert server.await_user(issuer.token())["username"] == "x:ann"
    assert server.who(old) is None, "the old key is not valid any more"


@with_server
def unknown_keys_do_not_flood_the_issuer(server, issuer):
    server.start_with(configuration(entry(issuer)))
    server.await_user(issuer.token())
    stranger = issuer.new_key("stranger")
    token = issuer.token(stranger)
    begun = time.monotonic()
    for _ in range(50):
        assert server.who(token) is None
    # At the start, for the first token, and then at most every ten seconds.
    most = 3 + int((time.monotonic() - begun) / 10)
    assert issuer.counts["/keys"] <= most, (issuer.counts, most)


@with_server
def the_server_starts_without_the_issuer(server, issuer):
    issuer.stop()
    server.start_with(configuration(entry(issuer)))
    token = issuer.token()
    assert server.who(token) is None
    server.await_log("cannot be fetched")
    assert "have not been fetched yet" in server.told()
    issuer.start()
    assert server.await_user(token)["username"] == "x:ann"


@with_server
def an_issuer_with_another_certificate_is_not_trusted(server, issuer):
    other = Issuer()
    text = configuration(entry(issuer)).replace(indented(issuer.ca(), 6), indented(other.ca(), 6))
    server.start_with(text)
    server.await_log("cannot be fetched")
    assert server.who(issuer.token()) is None
    assert not issuer.counts, issuer.counts
    other.close()


@with_server
def metadata_of_another_issuer_is_not_used(server, issuer):
    issuer.metadata = {"issuer": "https://other.example"}
    server.start_with(configuration(entry(issuer)))
    server.await_log("issuer did not match the issuer returned by provider")
    assert server.who(issuer.token()) is None


@with_server
def the_metadata_may_be_elsewhere(server, issuer):
    more = f"    discoveryURL: {issuer.url}/elsewhere\n"
    server.start_with(configuration(entry(issuer, more=more)))
    server.await_user(issuer.token())
    assert set(issuer.counts) == {"/elsewhere", "/keys"}, issuer.counts


@with_server
def several_issuers_are_told_apart(server, issuer):
    second = Issuer().start()
    second.keys = [second.new_key("first")]
    server.start_with(configuration(entry(issuer), entry(second, """  claimMappings:
    username: {expression: "'second:' + claims.sub"}
""", "[a, b]", "    audienceMatchPolicy: MatchAny\n")))
    assert server.await_user(issuer.token())["username"] == "x:ann"
    assert server.await_user(second.token(aud=["b", "c"]))["username"] == "second:ann"
    assert server.who(second.token()) is None, "another audience"
    assert server.who(token_of(issuer.claims(), second.keys[0])) is None, "the key of the other"
    second.close()


@with_server
def expressions_decide_and_map(server, issuer):
    server.start_with(configuration(entry(issuer, """  claimValidationRules:
  - {claim: hd, requiredValue: example.com}
  - {expression: "claims.exp - claims.iat <= 86400", message: "lives too long"}
  claimMappings:
    username: {expression: "claims.email_verified ? claims.email : claims.sub"}
    groups: {expression: "claims.roles.split(',')"}
    uid: {expression: "string(claims.number)"}
    extra:
    - {key: example.com/nested, valueExpression: "claims.org.teams"}
    - {key: example.com/empty, valueExpression: "''"}
  userValidationRules:
  - {expression: "!user.username.startsWith('system:')", message: "reserved name"}
""")))
    good = dict(hd="example.com", email="ann@example.com", email_verified=True, roles="dev,ops",
                number=7, org={"teams": ["red", "", "blue"]})
    user = server.await_user(issuer.token(**good))
    assert user == {"username": "ann@example.com", "uid": "7",
                    "groups": ["dev", "ops", "system:authenticated"],
                    "extra": {"example.com/nested": ["red", "blue"]}}, user
    now = int(time.time())
    for changed in ({"hd": "evil.example"}, {"hd": None}, {"exp": now + 100000},
                    {"email": "system:masters"}, {"email_verified": None}, {"roles": 5}):
        assert server.who(issuer.token(**dict(good, **changed))) is None, changed
    assert "validation expression '!user.username.startsWith('system:')' failed: reserved name" \
        in server.told()


@with_server
def tokens_with_200_groups_are_accepted(server, issuer):
    server.start_with(configuration(entry(issuer, """  claimMappings:
    username: {claim: sub, prefix: ""}
    groups: {claim: groups, prefix: ""}
""")))
    groups = [f"00000000-0000-0000-0000-{number:012}" for number in range(200)]
    assert server.await_user(issuer.token(groups=groups))["groups"][:-1] == groups


@with_server
def token_reviews_answer_for_such_tokens(server, issuer):
    server.start_with(configuration(entry(issuer)))
    token = issuer.token()
    server.await_user(token)

    def review(spec):
        return server.call("POST", REVIEWS, {"apiVersion": "authentication.k8s.io/v1",
                                             "kind": "TokenReview", "spec": spec})[1]["status"]
    status = review({"token": token})
    assert status["authenticated"] and status["user"]["username"] == "x:ann", status
    assert status["audiences"] == ["https://kubernetes.default.svc.cluster.local"], status
    assert "authenticated" not in review({"token": token, "audiences": ["other"]})
    assert "authenticated" not in review({"token": issuer.token(aud="other")})


@with_server
def a_changed_file_is_loaded(server, issuer):
    second = Issuer().start()
    second.keys = [second.new_key("first")]
    server.start_with(configuration(entry(issuer)))
    token, other = issuer.token(), second.token()
    assert server.await_user(token)["username"] == "x:ann"
    assert server.who(other) is None
    server.write(configuration(entry(issuer, "  claimMappings:\n    username: "
                                             "{claim: sub, prefix: 'y:'}\n"), entry(second)))
    assert server.await_user(other)["username"] == "x:ann"
    assert server.who(token)["username"] == "y:ann"
    server.write(configuration(entry(issuer)).replace("https:", "http:"))
    server.await_log("stays in force")
    assert server.who(token)["username"] == "y:ann"
    server.write(configuration(entry(issuer), more="anonymous: {enabled: false}\n"))
    server.await_log("changed from initial configuration file")
    server.write(configuration(entry(second)))
    server.await_log("1 token issuers")
    assert server.who(token) is None
    assert server.who(other)["username"] == "x:ann"
    second.close()


@with_server
def the_short_options_are_those_of_kube_apiserver(server, issuer):
    issuer.keys += [issuer.new_key("ec", "ES256")]
    server.command = server.plain + [
        "--oidc-issuer-url", issuer.url, "--oidc-client-id", "kubernetes",
        "--oidc-ca-file", issuer.ca_file, "--oidc-groups-claim", "groups",
        "--oidc-required-claim", "hd=example.com"]
    server.start()
    token = issuer.token(hd="example.com", groups="ops")
    user = server.await_user(token)
    assert user["username"] == issuer.url + "#ann", user
    assert user["groups"] == ["ops", "system:authenticated"], user
    assert server.who(issuer.token()) is None, "a required claim is missing"
    assert server.who(issuer.token(issuer.keys[1], hd="example.com")) is None, "only RS256"
    server.stop()
    server.command = server.plain + [
        "--oidc-issuer-url", issuer.url, "--oidc-client-id", "kubernetes",
        "--oidc-ca-file", issuer.ca_file, "--oidc-username-claim", "email",
        "--oidc-signing-algs", "RS256,ES256", "--oidc-groups-claim", "groups",
        "--oidc-groups-prefix", "oidc:"]
    server.start()
    user = server.await_user(issuer.token(issuer.keys[1], email="ann@example.com", groups=["a"]))
    assert user["username"] == "ann@example.com", user
    assert user["groups"] == ["oidc:a", "system:authenticated"], user
    assert server.who(issuer.token(email="ann@example.com", email_verified=False)) is None


@with_server
def options_that_exclude_each_other_are_refused(server, issuer):
    text = configuration(entry(issuer))
    assert "authentication-config file and oidc-* flags are mutually exclusive" in \
        server.does_not_start_with(text, ["--oidc-issuer-url", issuer.url])
    assert "--anonymous-auth flag cannot be set when anonymous field is configured" in \
        server.does_not_start_with(text + "anonymous: {enabled: true}\n", ["--anonymous-auth"])
    assert "oidc-issuer-url and oidc-client-id must be specified together" in \
        subprocess.run(server.plain + ["--oidc-client-id", "x", "--listen", "127.0.0.1:0"],
                       capture_output=True, text=True, timeout=60).stderr
    assert 'jwt[0].issuer.url: Invalid value: "http://x": URL scheme must be https' in \
        server.does_not_start_with(text.replace(issuer.url, "http://x"))


@with_server
def anonymous_requests_are_as_configured(server, issuer):
    server.start_with(configuration(
        more="anonymous: {enabled: true, conditions: [{path: /livez}]}\n"))
    assert server.tls("GET", "/livez")[0] == 200
    assert server.tls("GET", "/readyz")[0] == 401
    assert server.tls("GET", "/api")[0] == 401
    server.stop()
    server.command = server.plain + ["--anonymous-auth=false"]
    server.start()
    assert server.tls("GET", "/livez")[0] == 401
    server.stop()
    server.command = server.plain
    server.start()
    assert server.tls("GET", "/livez")[0] == 200
    assert server.tls("GET", "/api/v1/nodes")[0] == 403
    server.stop()
    server.command = server.plain + ["--authorization-mode", "RBAC,AlwaysAllow"]
    server.start()
    assert server.tls("GET", "/livez")[0] == 200
    assert server.tls("GET", "/api/v1/nodes")[0] == 401  # whichever mode comes first


@with_server
def health_checks_with_a_wrong_token_are_refused(server, issuer):
    server.start()
    for path in ("/livez", "/readyz", "/healthz", "/version"):
        assert server.tls("GET", path, "wrong")[0] == 401, path
        assert server.tls("GET", path)[0] == 200, path
        assert server.tls("GET", path, headers={"Authorization": "Basic eDp5"})[0] == 200, path


run_tests([
    a_token_of_a_trusted_issuer_is_its_user,
    all_algorithms_are_accepted,
    forged_and_unsuitable_tokens_are_refused,
    a_rotated_key_is_fetched_when_it_is_first_used,
    unknown_keys_do_not_flood_the_issuer,
    the_server_starts_without_the_issuer,
    an_issuer_with_another_certificate_is_not_trusted,
    metadata_of_another_issuer_is_not_used,
    the_metadata_may_be_elsewhere,
    several_issuers_are_told_apart,
    expressions_decide_and_map,
    tokens_with_200_groups_are_accepted,
    token_reviews_answer_for_such_tokens,
    a_changed_file_is_loaded,
    the_short_options_are_those_of_kube_apiserver,
    options_that_exclude_each_other_are_refused,
    anonymous_requests_are_as_configured,
    health_checks_with_a_wrong_token_are_refused,
])
