#!/bin/sh
# Makes the authority and the server's certificate that tests speak TLS with. They are made once and kept, valid for 200
# years; the authority's key is thrown away, so that it can vouch for nothing else. Hosts are those of the tests of clouds.
set -eu
cd "$(dirname "$0")"
keys=$(mktemp -d)
trap 'rm -rf "$keys"' EXIT
make_key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"; }
make_key "$keys/authority.key"
openssl req -x509 -new -key "$keys/authority.key" -subj "/CN=aish tests" -days 73000 -out authority.pem \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign
make_key server.key
openssl req -new -key server.key -subj "/CN=server of aish's tests" -out "$keys/server.csr"
cat > "$keys/server.ext" <<EXT
basicConstraints=critical,CA:FALSE
extendedKeyUsage=serverAuth
subjectAltName=IP:127.0.0.1,DNS:resource.openai.azure.com,DNS:bedrock-runtime.us-west-2.amazonaws.com,DNS:europe-west4-aiplatform.googleapis.com,DNS:generativelanguage.googleapis.com,DNS:api.z.ai,DNS:api.x.ai
EXT
openssl x509 -req -in "$keys/server.csr" -CA authority.pem -CAkey "$keys/authority.key" -days 73000 -out server.pem \
    -extfile "$keys/server.ext"
